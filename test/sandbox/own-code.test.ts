// Needs bubblewrap and user namespaces; else its tests are skipped.
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OwnCodeFiles } from '../../src/agent/own-code-files';
import { sandboxedPlace, sandboxTest, type SandboxedPlace } from './sandboxed';

let place: SandboxedPlace;
beforeEach(async () => {
  place = await sandboxedPlace();
});
afterEach(() => place.remove());

const code = () =>
  new OwnCodeFiles({
    files: [],
    cwd: place.workspace,
    cacheFolder: path.join(place.places.home, 'cache'),
    home: place.places.home,
  }).of(place.workspace);
const config = () => path.join(place.workspace, 'everloop.config.js');
const THROWS = 'throw new Error("it ran")';

sandboxTest(
  'code that a command may have written is not run, until somebody vouches for it',
  async () => {
    await place.run(`echo '${THROWS}' > everloop.config.js`);

    const refusal = await code().then(String, String);
    const [note = ''] = /\/\S*without-code\/\w+/.exec(refusal) ?? [];
    await rm(note);

    expect(refusal).toContain(`${config()} was not there when commands first ran in the sandbox`);
    await expect(code()).rejects.toThrow('it ran');
  },
);

sandboxTest('code that was there before cannot be changed, and is run', async () => {
  await writeFile(config(), 'exports.tools = [];');

  await place.run(`echo '${THROWS}' > everloop.config.js`);

  expect((await code()).tools).toEqual([]);
});
