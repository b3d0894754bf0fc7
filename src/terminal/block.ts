/** A part of the screen before it is fitted to a width. */
export type Block =
  /** `first` begins the first line and its width indents the others. */
  | {
      readonly type: 'markdown';
      readonly text: string;
      readonly first: string;
      readonly isDim: boolean;
    }
  /** Lines that may hold sequences; `wraps`: long ones go on below, else they are cut. */
  | { readonly type: 'lines'; readonly lines: readonly string[]; readonly wraps: boolean };

export const lines = (...texts: readonly string[]): Block => ({
  type: 'lines',
  lines: texts,
  wraps: false,
});

export const wrapped = (...texts: readonly string[]): Block => ({
  type: 'lines',
  lines: texts,
  wraps: true,
});

/** Control characters of foreign output would move the cursor; a tab has no width of its own. */
export function printable(text: string): string {
  return text
    .replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)/g, '')
    .replace(/\t/g, '    ')
    .replace(/\r\n/g, '\n')
    .replace(/[\x00-\x09\x0b-\x1f\x7f]/g, '');
}
