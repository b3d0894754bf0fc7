// What the Worker bundles: the Workflow types are named `session` and `query`.
export { query } from './query';
export { session } from './session';
