// What the Worker bundles. Workflow types have the names of these functions.
export { lookAtFolder } from './look-at-folder';
export { query } from './query';
export { scheduled } from './scheduled';
export { session } from './session';
