import type { MemoryFile } from './memory-file';
import { toReminder } from './reminder';

const ORIGINS: Readonly<Record<MemoryFile['kind'], string>> = {
  managed: 'instructions of the organisation',
  user: 'instructions of the user for all projects',
  project: 'instructions of the project',
  local: 'instructions of the user for this project, not shared',
  imported: 'imported by the file before',
  rule: 'a rule that holds for all files',
};

/** The message that stands before a conversation's first; null: there is nothing to say. */
export function renderUserContext(files: readonly MemoryFile[]): string | null {
  const parts = files
    .filter(({ text }) => text.trim() !== '')
    .map((file) => `Contents of ${file.path} (${ORIGINS[file.kind]}):\n\n${file.text.trim()}`);
  if (parts.length === 0) return null;
  return toReminder(
    [
      'Standing instructions for this session. They come before your own habits; of two that disagree the later one counts. Follow them where they bear on the task, and do not mention them.',
      ...parts,
    ].join('\n\n'),
  );
}
