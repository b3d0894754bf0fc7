import { OutcomeUnknown } from '../outcome-unknown';
import { ToolError } from '../tool';
import type { ToolContext, ToolResult } from '../tool';
import type { CommandEnding } from './command-ending';
import { readOutput } from './command-output';
import { findMove } from './shell-folder';
import type { CommandFiles } from './wrapper-script';

/** A long result shows its beginning and names the file, as Claude Code does. */
const SUCCESS_LIMITS = { wholeChars: 30_000, headChars: 2_000, tailChars: 0 };
/** A failure shows its end too, where the reason stands, and stays under the 10,000 characters of an error
 *  (spec/loop 5.4). */
const FAILURE_LIMITS = { wholeChars: 9_000, headChars: 3_000, tailChars: 6_000 };

interface EndedCommand {
  readonly files: CommandFiles;
  readonly ending: CommandEnding;
  readonly timeoutMs: number;
  readonly startFolder: string;
}

/** What the model is told. Fails: ToolError unless the exit code is 0; OutcomeUnknown when there is none. */
export async function toToolResult(
  { files, ending, timeoutMs, startFolder }: EndedCommand,
  context: ToolContext,
): Promise<ToolResult> {
  if (ending.type === 'exited' && ending.code === 0) {
    const { text, cutFromBytes } = await readOutput(files.output, SUCCESS_LIMITS);
    const { note, ...move } = await findMove(files, startFolder, context);
    const shown = [text, note].filter(Boolean).join('\n');
    const persisted =
      cutFromBytes === null
        ? {}
        : { persistedOutputPath: files.output, persistedOutputSize: cutFromBytes };
    return {
      content: shown === '' ? '(The command succeeded and printed nothing.)' : shown,
      structured: { stdout: text, stderr: '', interrupted: false, isImage: false, ...persisted },
      ...move,
    };
  }
  const { text } = await readOutput(files.output, FAILURE_LIMITS);
  if (ending.type === 'vanished') {
    throw new OutcomeUnknown(
      `The command was started, but its process was lost before it left an exit code ` +
        `(a reboot, or it was killed together with its Worker). It may or may not have finished. ` +
        `Look at what it should have changed before you run it again.` +
        (text === '' ? '' : ` Its output until then:\n${text}`),
    );
  }
  throw new ToolError([failureLine(ending, timeoutMs), text].filter(Boolean).join('\n'));
}

type Failure = Exclude<CommandEnding, { type: 'vanished' }>;

function failureLine(ending: Failure, timeoutMs: number): string {
  switch (ending.type) {
    case 'exited':
      return `Exit code ${ending.code}`;
    case 'timed_out':
      return `Command timed out after ${timeoutMs / 1000} s and was ended with everything it had started. A longer time can be given as timeout.`;
    case 'output_limit':
      return `Command was ended: it printed more than can be kept. Print less, or into a file.`;
  }
}
