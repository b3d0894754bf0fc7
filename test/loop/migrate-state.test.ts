import { fromStoredState, UnknownStateVersion } from '../../src/loop/migrate-state';
import { STATE_VERSION } from '../../src/loop/state';
import { usedState } from './builders';

test('the State of this version is taken as it is', () => {
  const stored: unknown = JSON.parse(JSON.stringify(usedState()));

  expect(fromStoredState(STATE_VERSION, stored)).toEqual(usedState());
});

test('a State of a newer build is refused, with the cure', () => {
  const read = () => fromStoredState(STATE_VERSION + 1, usedState());

  expect(read).toThrow(UnknownStateVersion);
  expect(new UnknownStateVersion(STATE_VERSION + 1).name).toBe('UnknownStateVersion');
  expect(read).toThrow(
    `State has version ${STATE_VERSION + 1}, this build reads version ${STATE_VERSION}. Run the query on the build that wrote it, or update this one.`,
  );
});
