import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  STUBBORN_TREES,
  goesOn,
  writeTreeScripts,
} from '../../../src/bench/sections/stubborn-trees';
import { createBashTool } from '../../../src/tools/bash';
import { createWorkspace } from '../tool-call';
import type { Workspace } from '../tool-call';
import { until } from './until';

const bash = createBashTool({ environment: { PATH: process.env['PATH'] } });
const onLinux = process.platform === 'linux' ? test.each : test.skip.each;

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
  writeTreeScripts(workspace.folder);
});
afterEach(() => workspace.remove());

onLinux(STUBBORN_TREES)('stop ends a tree: $name', async ({ command }) => {
  const stop = new AbortController();
  const call = workspace.call(bash, { command }, { signal: stop.signal });
  call.catch(() => undefined);
  await until(() => existsSync(path.join(workspace.folder, 'ready')));

  stop.abort(new Error('stopped'));
  await expect(call).rejects.toThrow('stopped');

  expect(await goesOn(workspace.folder)).toBe(false);
});
