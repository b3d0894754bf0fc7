import type { ReadStream, WriteStream } from 'node:tty';
import type { InteractiveCommand } from '../cli/command';
import type { OutputStream } from '../cli/output/output-stream';
import { runRipgrep } from '../tools/ripgrep';
import type { ListedCommand } from '../context/slash-command';
import { Completion } from './completion';
import { farewell } from './farewell';
import { holdStderr } from './held-stderr';
import { PromptHistory } from './prompt-history';
import { TerminalApp, type AppDeps } from './terminal-app';
import { TerminalDevice } from './terminal-device';
import { createTheme, coloursOf, isDumb } from './theme';
import { loadTuiLibrary } from './tui-library';

export interface InteractiveDeps extends Pick<
  AppDeps,
  'openSession' | 'cwd' | 'newId' | 'now' | 'run' | 'by' | 'sessions' | 'ensureBackground'
> {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** The terminal. */
  readonly input: ReadStream;
  /** Where its size is read. */
  readonly size: WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly commands: () => Promise<readonly ListedCommand[]>;
  /** Takes the lines that this process has for people, from now on. */
  readonly onTell: (listener: (line: string) => void) => void;
  /** Ctrl-C where the terminal makes a signal of it. */
  readonly onInterrupt: (listener: () => void) => void;
}

/** Talks with a person at a terminal until they leave. Returns the exit code. */
export async function interactive(
  command: InteractiveCommand,
  deps: InteractiveDeps,
): Promise<number> {
  if (isDumb(deps.environment)) {
    const { plainTerminal } = await import('./plain-terminal.js');
    return plainTerminal(command, deps);
  }
  // From the first key on: one that comes while all else loads must be what it is later.
  deps.input.setRawMode(true);
  const library = await loadTuiLibrary();
  const { cwd, home, stdout } = deps;
  const terminal = new TerminalDevice({
    input: deps.input,
    size: deps.size,
    write: (text) => void stdout.write(text),
    StdinBuffer: library.StdinBuffer,
  });
  const app = new TerminalApp(command.session, {
    ...deps,
    library,
    terminal,
    theme: createTheme(coloursOf(deps.environment)),
    persistent: command.persistent,
    history: new PromptHistory(home, cwd),
    completion: new Completion({
      commands: await deps.commands(),
      files: (signal) => filesOf(cwd, signal),
      rank: (files, query) => library.fuzzyFilter([...files], query, (file) => file),
    }),
  });
  const releaseStderr = holdStderr();
  // However the process ends, the terminal is as it was.
  const restore = (): void => {
    terminal.stop();
    releaseStderr();
  };
  process.once('exit', restore);
  deps.onTell((line) => app.tell(line));
  for (const warning of command.warnings) app.tell(warning);
  void app.start(command.prompt);
  const left = await app.left;
  app.stop();
  process.off('exit', restore);
  releaseStderr();
  await stdout.write(farewell(left));
  return 0;
}

async function filesOf(folder: string, signal: AbortSignal): Promise<readonly string[]> {
  const workerGone = new AbortController().signal;
  try {
    const { lines } = await runRipgrep({ args: ['--files'], folder }, { signal, workerGone });
    return lines;
  } catch {
    // A folder that cannot be read completes to nothing.
    return [];
  }
}
