import { keepThreads } from '../../src/temporal/shared-workflows';

// The Workers of a test file take turns in one thread. Only jest says when a file is over: elsewhere each has its own.
if ('afterAll' in globalThis) afterAll(keepThreads());
