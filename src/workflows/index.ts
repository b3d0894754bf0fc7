// What the Worker bundles: the Workflow types are named `session`, `query` and `scheduled`.
export { query } from './query';
export { scheduled } from './scheduled';
export { session } from './session';
