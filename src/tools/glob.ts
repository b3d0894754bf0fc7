import { stat } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import { z } from 'zod';
import { requireInside } from './confinement';
import { runRipgrep } from './ripgrep';
import { defineTool, ToolError } from './tool';

const FILES_SHOWN = 100;

const GlobInput = z.strictObject({
  pattern: z.string().min(1).describe('For example src/**/*.ts'),
  path: z.string().optional().describe('The folder to search (default: the working folder)'),
});

export const globTool = defineTool<z.infer<typeof GlobInput>>({
  name: 'Glob',
  description: `Finds files by name pattern, newest first, at most ${FILES_SHOWN}.
- * stays within a folder, ** goes through folders: *.ts is the folder itself, **/*.ts everything below.
- Files that .gitignore names are left out. To search file contents use Grep.`,
  inputSchema: GlobInput,
  effect: 'rerun',
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  summarize: (input) => input.pattern,
  async call(input, context) {
    const { base, glob } = splitPattern(input.pattern);
    const from = path.resolve(context.workingDirectory, input.path ?? '.', base);
    const folder = await requireInside(from, context);
    if (!(await isFolder(folder))) {
      if (base === '') throw new ToolError(`${folder} is not a folder. Give one as path.`);
      return { content: 'No files found.', structured: { numFiles: 0, filenames: [] } };
    }
    const search = { args: ['--files', '--sortr=modified'], folder };
    const { lines, isCut } = await runRipgrep(search, context);
    const matches = picomatch(glob, { dot: true });
    const found = lines.filter((line) => matches(line));
    const filenames = found.slice(0, FILES_SHOWN).map((line) => path.join(folder, line));
    const isTruncated = isCut || found.length > FILES_SHOWN;
    const notes = isTruncated
      ? [
          `[${filenames.length} of ${found.length} files are shown. Use a narrower pattern or path.]`,
        ]
      : [];
    return {
      content: found.length === 0 ? 'No files found.' : [...filenames, ...notes].join('\n'),
      structured: { numFiles: found.length, filenames, truncated: isTruncated },
    };
  },
});

/** `src/**` is a search in `src`; a pattern without wildcards names a file of its folder. */
function splitPattern(pattern: string): { readonly base: string; readonly glob: string } {
  const { base, glob } = picomatch.scan(pattern);
  if (glob !== '') return { base, glob };
  return { base: path.dirname(pattern), glob: path.basename(pattern) };
}

async function isFolder(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch {
    return false;
  }
}
