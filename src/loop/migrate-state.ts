import { STATE_VERSION, type State } from './state';

/** Brings the State of an older build to this build's shape, once, at the door of a run.
 *  Each version that ever ran in public gets a function from it to the next one.
 *  Fails: UnknownStateVersion for a version of a newer build. */
export function fromStoredState(version: number, stored: unknown): State {
  if (version === STATE_VERSION) return stored as State;
  throw new UnknownStateVersion(version);
}

export class UnknownStateVersion extends Error {
  override readonly name = 'UnknownStateVersion';

  constructor(version: number) {
    super(
      `State has version ${version}, this build reads version ${STATE_VERSION}. ` +
        'Run the query on the build that wrote it, or update this one.',
    );
  }
}
