import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { HookEvent } from '../../src/hooks/hook-event';
import type { Given } from './given';

type Commands = Partial<Record<HookEvent, string | readonly string[]>>;

/** Gives the session's folder hooks: shell commands by event. Workers made from now on run them. */
export async function hookUp({ workspace }: Given, commands: Commands): Promise<void> {
  const hooks = Object.fromEntries(
    Object.entries(commands).map(([event, lines]) => [
      event,
      [{ hooks: [lines].flat().map((command) => ({ type: 'command', command })) }],
    ]),
  );
  await mkdir(path.join(workspace, '.claude'), { recursive: true });
  await writeFile(path.join(workspace, '.claude/settings.json'), JSON.stringify({ hooks }));
}

/** A hook that answers with this JSON. */
export const answers = (answer: object): string =>
  `cat > /dev/null; printf '%s' '${JSON.stringify(answer)}'`;

/** A hook that answers for its event. */
export const decides = (hookEventName: HookEvent, specific: object, more: object = {}): string =>
  answers({ ...more, hookSpecificOutput: { hookEventName, ...specific } });

/** A hook that objects with exit code 2. */
export const objects = (reason: string): string => `cat > /dev/null; echo '${reason}' >&2; exit 2`;

/** A hook that keeps what it is told, a line each time. */
export const listens = (name: string): string => `cat >> ${name}; echo >> ${name}`;

/** What such a hook was told, oldest first. */
export async function heard(
  { workspace }: Given,
  name: string,
): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(path.join(workspace, name), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
