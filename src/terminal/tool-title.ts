/** The one input that says most about a call, by tool. */
const TELLING: Readonly<Record<string, string>> = {
  Bash: 'command',
  Read: 'file_path',
  Edit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
  Glob: 'pattern',
  Grep: 'pattern',
  WebFetch: 'url',
  WebSearch: 'query',
  Task: 'description',
  Skill: 'skill',
};

const LONGEST_CHARS = 300;

/** What a call does, on one line: the command, the file … */
export function tellingInput(name: string, input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const values = input as Readonly<Record<string, unknown>>;
  const telling = values[TELLING[name] ?? ''];
  const text =
    typeof telling === 'string'
      ? telling
      : Object.entries(values)
          .map(
            ([key, value]) =>
              `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
          )
          .join(', ');
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_CHARS ? `${line.slice(0, LONGEST_CHARS)}…` : line;
}
