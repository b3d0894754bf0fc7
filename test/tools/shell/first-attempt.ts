// A Worker that runs one Bash call and is killed in the middle of it.
// Arguments: command, workspace folder, call folder, and the sandbox as JSON if there is one.
import type { SandboxState } from '../../../src/sandbox/sandbox';
import { createBashTool } from '../../../src/tools/bash';

const [command = '', folder = '', callFolder = '', sandbox] = process.argv.slice(2);
const bash = createBashTool({ environment: { PATH: process.env['PATH'] } });
const result = bash.call(
  { command },
  {
    workingDirectory: folder,
    roots: [folder],
    filesSeen: new Map(),
    callFolder,
    shellsFolder: null,
    todosFile: null,
    askSmallModel: null,
    attempt: 1,
    signal: new AbortController().signal,
    workerGone: new AbortController().signal,
    onProgress: () => undefined,
    ...(sandbox !== undefined && { sandbox: JSON.parse(sandbox) as SandboxState }),
  },
);
// It may fail before it is killed; the attempt after it tells.
result.catch(() => undefined);
