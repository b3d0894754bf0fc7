import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { runRipgrep } from './ripgrep';
import { noteEndTold, stateOf } from './shell/background-shell';
import type { BackgroundShell, ShellState } from './shell/background-shell';
import { readOutput } from './shell/command-output';
import type { ByteRange } from './shell/command-output';
import { requireShell } from './shell/require-shell';
import { takeUnread } from './shell/shell-reading';
import { defineTool } from './tool';
import type { ToolContext, ToolResult } from './tool';

/** The end of what is new matters most. */
const LIMITS = { wholeChars: 30_000, headChars: 4_000, tailChars: 24_000 };

const BashOutputInput = z.strictObject({
  bash_id: z.string().min(1).describe('Id of the background shell'),
  filter: z
    .string()
    .min(1)
    .optional()
    .describe('Regular expression: only lines that match are shown, the others are passed over'),
});
type BashOutputInput = z.infer<typeof BashOutputInput>;

export const bashOutputTool = defineTool<BashOutputInput>({
  name: 'BashOutput',
  description: `Shows what a background shell has printed since the last look at it, stdout and stderr together, and whether it still runs.
- Shells are started by Bash with run_in_background, which tells their ids.
- Each look shows what is new; the whole output is in the file that was named at the start.
- You are told when a shell ends: there is no need to look again and again until it does.`,
  inputSchema: BashOutputInput,
  // A later attempt gets the same part of the output.
  effect: 'rerun',
  isReadOnly: () => true,
  summarize: ({ bash_id: id, filter }) => (filter === undefined ? id : `${id} ${filter}`),
  call: look,
});

async function look(input: BashOutputInput, context: ToolContext): Promise<ToolResult> {
  const shell = await requireShell(input.bash_id, context);
  // In this order: what a shell prints before it ends is shown with its end.
  const state = await stateOf(shell);
  const range = await takeUnread(shell, context.callFolder);
  const output = await readNew(shell, range, { ...context, filter: input.filter });
  if (state.status !== 'running') await noteEndTold(shell);
  return {
    content: [...describe(state), `<output>\n${output}\n</output>`].join('\n'),
    structured: { output, status: state.status, exitCode: state.exitCode },
  };
}

async function readNew(
  { command, folder }: BackgroundShell,
  range: ByteRange,
  { filter, ...context }: ToolContext & { readonly filter: string | undefined },
): Promise<string> {
  const { output } = command.files;
  if (range.from === range.to) return '';
  if (filter === undefined) return (await readOutput(output, LIMITS, range)).text;
  const { lines } = await runRipgrep(
    {
      args: ['--text', '--no-line-number', '--no-filename', '--regexp', filter, '-'],
      folder,
      input: createReadStream(output, { start: range.from, end: range.to - 1 }),
    },
    context,
  );
  return lines.join('\n');
}

function describe({ status, exitCode, verdict }: ShellState): readonly string[] {
  return [
    `<status>${status}</status>`,
    ...(exitCode === null ? [] : [`<exit_code>${exitCode}</exit_code>`]),
    ...(verdict === 'output_limit' ? ['It was ended: it printed more than can be kept.'] : []),
    ...(verdict === 'session_ended' ? ['It was ended when the session ended or was stopped.'] : []),
    ...(status === 'lost' ? ['Its process is gone and has left no exit code (a reboot?).'] : []),
  ];
}
