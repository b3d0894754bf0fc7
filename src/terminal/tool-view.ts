import { lines, printable, wrapped, type Block } from './block';
import { elapsed } from './elapsed';
import type { ToolItem } from './screen-item';
import type { Theme } from './theme';
import { tellingInput } from './tool-title';
import type { ViewOptions } from './item-view';

/** Lines of output that are shown while it is folded. */
const FOLDED_LINES = 4;
const FOLDED_DIFF_LINES = 24;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
export const FRAME_MS = 120;

export const spinner = (nowMs: number): string =>
  FRAMES[Math.floor(nowMs / FRAME_MS) % FRAMES.length] ?? '';

/** A call: what runs, how long, and what came out, folded. */
export function toolView(tool: ToolItem, options: ViewOptions): readonly Block[] {
  const { theme } = options;
  const telling = tellingInput(tool.name, tool.input);
  const name = `${theme.bold(tool.name)}${telling === '' ? '' : `(${printable(telling)})`}`;
  const title = [mark(tool, options), name, theme.dim(timeOf(tool, options.nowMs))]
    .filter((part) => part !== '')
    .join(' ');
  return [lines(title), ...below(tool, options)];
}

function mark({ state }: ToolItem, { theme, nowMs }: ViewOptions): string {
  switch (state) {
    case 'asked':
      return theme.dim('○');
    case 'running':
      return theme.warning(spinner(nowMs));
    case 'done':
      return theme.good('●');
    case 'failed':
      return theme.bad('●');
    case 'stopped':
      return theme.dim('◌');
  }
}

/** Short ones are nobody's concern. */
function timeOf({ state, startedAt, endedAt }: ToolItem, nowMs: number): string {
  if (startedAt === null) return '';
  const endMs = endedAt === null ? nowMs : Date.parse(endedAt);
  const ms = endMs - Date.parse(startedAt);
  return state === 'stopped' || ms < 1_000 ? '' : elapsed(ms);
}

function below(tool: ToolItem, options: ViewOptions): readonly Block[] {
  const { theme } = options;
  if (tool.state === 'stopped') return [lines(theme.dim('  ⎿ stopped'))];
  if (tool.state === 'asked' || tool.state === 'running') return subCalls(tool, theme);
  if (tool.diff.length > 0) return diffView(tool.diff, options);
  const output = printable(tool.output).trimEnd();
  if (output === '') return [];
  const all = output.split('\n');
  const shown = options.isExpanded ? all : all.slice(0, FOLDED_LINES);
  const paint = tool.state === 'failed' ? theme.bad : theme.dim;
  const text = shown.map((line, index) => paint(`${index === 0 ? '  ⎿ ' : '    '}${line}`));
  const block = options.isExpanded ? wrapped(...text) : lines(...text);
  return [block, ...hidden(all.length - shown.length, theme)];
}

function subCalls({ subCalls: names }: ToolItem, theme: Theme): readonly Block[] {
  const last = names.at(-1);
  if (last === undefined) return [];
  return [
    lines(
      theme.dim(`  ⎿ ${last} (${names.length} ${names.length === 1 ? 'call' : 'calls'} so far)`),
    ),
  ];
}

/** Lines of a diff in colours. */
export function diffView(
  diff: readonly string[],
  { theme, isExpanded }: Pick<ViewOptions, 'theme' | 'isExpanded'>,
): readonly Block[] {
  const shown = isExpanded ? diff : diff.slice(0, FOLDED_DIFF_LINES);
  const added = diff.filter((line) => line.startsWith('+')).length;
  const removed = diff.filter((line) => line.startsWith('-')).length;
  const painted = shown.map((line) => `    ${diffLine(printable(line), theme)}`);
  const summary = theme.dim(`  ⎿ ${added} added, ${removed} removed`);
  return [lines(summary, ...painted), ...hidden(diff.length - shown.length, theme)];
}

function diffLine(line: string, theme: Theme): string {
  if (line.startsWith('+')) return theme.added(line);
  return line.startsWith('-') ? theme.removed(line) : theme.dim(line);
}

const hidden = (count: number, theme: Theme): readonly Block[] =>
  count <= 0
    ? []
    : [lines(theme.dim(`    … ${count} more ${count === 1 ? 'line' : 'lines'} (Ctrl-O)`))];
