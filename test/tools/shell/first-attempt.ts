// A Worker that runs one Bash call and is killed in the middle of it.
// Arguments: command, workspace folder, call folder.
import { createBashTool } from '../../../src/tools/bash';

const [command = '', folder = '', callFolder = ''] = process.argv.slice(2);
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
  },
);
// It may fail before it is killed; the attempt after it tells.
result.catch(() => undefined);
