import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScheduledPrompts } from '../../src/schedule/scheduled-prompts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'everloop-prompts-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const PROMPT = { prompt: 'Look.', cwd: '/project', flags: { model: 'haiku' } };

test('a prompt is there for whoever opens the home next, and nobody else may read it', async () => {
  await new ScheduledPrompts(home).create('nightly', PROMPT);

  expect(await new ScheduledPrompts(home).find('nightly')).toEqual(PROMPT);
  expect(statSync(join(home, 'schedules', 'nightly.json')).mode & 0o077).toBe(0);
});

test('a second prompt of a name changes nothing', async () => {
  const prompts = new ScheduledPrompts(home);
  await prompts.create('nightly', PROMPT);

  expect(await prompts.create('nightly', { ...PROMPT, prompt: 'Other.' })).toBe(false);
  expect(await prompts.find('nightly')).toEqual(PROMPT);
});

test('a prompt that was removed is gone, and removing it again says so', async () => {
  const prompts = new ScheduledPrompts(home);
  await prompts.create('nightly', PROMPT);

  expect([await prompts.remove('nightly'), await prompts.remove('nightly')]).toEqual([true, false]);
  expect(await prompts.find('nightly')).toBeUndefined();
});
