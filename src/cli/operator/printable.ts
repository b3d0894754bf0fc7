/** Control characters but no others: C0, DEL, C1, and what changes the direction of writing. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** One line that a terminal shows as it is: what a model wrote must not hide what it asks for. */
export function printable(line: string): string {
  return line.replace(
    CONTROLS,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
