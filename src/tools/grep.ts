import { stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { requireInside } from './confinement';
import { runRipgrep } from './ripgrep';
import { defineTool, ToolError } from './tool';

const LINES_SHOWN = 250;

const lineCount = z.number().int().min(0).optional();
const GrepInput = z.strictObject({
  pattern: z.string().min(1).describe('Regular expression, in the syntax of ripgrep'),
  path: z.string().optional().describe('File or folder to search (default: the working folder)'),
  glob: z.string().optional().describe('Only files whose name matches, for example *.{ts,tsx}'),
  type: z.string().optional().describe('Only files of a type that ripgrep knows, for example ts'),
  output_mode: z
    .enum(['content', 'files_with_matches', 'count'])
    .optional()
    .describe('Matching lines, file names (default), or matches per file'),
  '-A': lineCount.describe('Lines to show after each match; content only'),
  '-B': lineCount.describe('Lines to show before each match; content only'),
  '-C': lineCount.describe('Lines to show around each match; content only'),
  '-n': z.boolean().optional().describe('Line numbers (default true); content only'),
  '-i': z.boolean().optional().describe('Ignore case'),
  head_limit: lineCount.describe(`Lines of output (default ${LINES_SHOWN}, 0 = all)`),
  offset: lineCount.describe('Lines of output to leave out first'),
  multiline: z.boolean().optional().describe('Let matches span lines, and . match line ends'),
});
type GrepInput = z.infer<typeof GrepInput>;

export const grepTool = defineTool<GrepInput>({
  name: 'Grep',
  description: `Searches file contents with ripgrep.
- Shows file names, newest first; output_mode "content" shows the lines, "count" the number of matches.
- Files that .gitignore names and binary files are left out.
- Literal braces and other special characters need a backslash: interface\\{\\}.`,
  inputSchema: GrepInput,
  resultLimitChars: 20_000,
  effect: 'rerun',
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  summarize: (input) => input.pattern,
  async call(input, context) {
    const target = await requireInside(input.path ?? '.', context);
    const kind = await stat(target).catch(() => undefined);
    if (kind === undefined) throw new ToolError(`${target} does not exist. Give another path.`);
    const folder = kind.isDirectory() ? target : path.dirname(target);
    const paths = kind.isDirectory() ? [] : [path.basename(target)];
    const search = { args: [...toArguments(input), '--', ...paths], folder };
    const { lines, isCut } = await runRipgrep(search, context);

    const skipped = input.offset ?? 0;
    const end = input.head_limit === 0 ? undefined : skipped + (input.head_limit ?? LINES_SHOWN);
    const shown = lines.slice(skipped, end);
    const mode = input.output_mode ?? 'files_with_matches';
    const structured = { mode, numLines: shown.length };
    if (shown.length === 0) {
      const content = lines.length === 0 ? 'No matches found.' : 'No more matches.';
      return { content, structured };
    }
    const heading = `Paths are relative to ${folder}`;
    const left = lines.length - skipped - shown.length;
    const notes = left > 0 || isCut ? [moreLines(left, skipped + shown.length, isCut)] : [];
    return { content: [heading, ...shown, ...notes].join('\n'), structured };
  },
});

function moreLines(left: number, offset: number, isCut: boolean): string {
  return `[${left}${isCut ? ' or more' : ''} lines are left; go on with offset ${offset}, or narrow the search]`;
}

function toArguments(input: GrepInput): string[] {
  const args = ['--regexp', input.pattern];
  if (input.glob !== undefined) args.push(`--glob=${input.glob}`);
  if (input.type !== undefined) args.push(`--type=${input.type}`);
  if (input['-i'] === true) args.push('--ignore-case');
  if (input.multiline === true) args.push('--multiline', '--multiline-dotall');
  switch (input.output_mode ?? 'files_with_matches') {
    case 'files_with_matches':
      return [...args, '--files-with-matches', '--sortr=modified'];
    case 'count':
      return [...args, '--count', '--with-filename', '--sort=path'];
    case 'content':
      return [
        ...args,
        '--no-heading',
        '--with-filename',
        '--sort=path',
        ...contentArguments(input),
      ];
  }
}

function contentArguments(input: GrepInput): string[] {
  const args = ['--max-columns=500', '--max-columns-preview'];
  args.push(input['-n'] === false ? '--no-line-number' : '--line-number');
  if (input['-C'] !== undefined) args.push(`--context=${input['-C']}`);
  if (input['-A'] !== undefined) args.push(`--after-context=${input['-A']}`);
  if (input['-B'] !== undefined) args.push(`--before-context=${input['-B']}`);
  return args;
}
