import path from 'node:path';
import { createBashTool } from '../../../src/tools/bash';
import { bashOutputTool } from '../../../src/tools/bash-output';
import { endShells, findShell, stateOf } from '../../../src/tools/shell/background-shell';
import { until } from '../../tools/shell/until';
import { Conversation } from './conversation';

const bash = createBashTool({ environment: { PATH: process.env['PATH'] } });

let talk: Conversation;
let shellsFolder: string;
beforeEach(async () => {
  talk = await Conversation.begin();
  ({ shellsFolder } = talk.facts());
});
afterEach(async () => {
  await endShells(shellsFolder);
  await talk.end();
});

async function start(command: string): Promise<string> {
  const input = { command, run_in_background: true };
  const { structured } = await talk.workspace.call(bash, input, { shellsFolder });
  return (structured as { readonly backgroundTaskId: string }).backgroundTaskId;
}

async function ended(command: string): Promise<string> {
  const id = await start(command);
  const shell = await findShell(shellsFolder, id);
  await until(async () => shell !== undefined && (await stateOf(shell)).status !== 'running');
  return id;
}

test('a shell that has ended is told once, with how it ended; one that runs is not', async () => {
  await start('sleep 60');
  const id = await ended('npm run   build; exit 2');

  const [notification, ...more] = await talk.endTurn();

  expect(more).toEqual([]);
  expect(notification?.type).toBe('task_notification');
  expect(notification?.text).toContain(`<task-id>${id}</task-id>\n<status>failed</status>`);
  expect(notification?.text).toContain('"npm run build; exit 2" ended with exit code 2');
  expect(await talk.endTurn()).toEqual([]);
});

test('a compaction does not bring it back', async () => {
  await ended('true');
  await talk.endTurn();
  await talk.endTurn();
  talk.chain = [];

  expect(await talk.endTurn()).toEqual([]);
});

test('what was collected and not chained comes again', async () => {
  await ended('true');
  await talk.endTurn();
  talk.chain = [];

  expect(await talk.endTurn()).toHaveLength(1);
});

test('an end that BashOutput has shown is not told again', async () => {
  const id = await ended('true');
  await talk.workspace.call(bashOutputTool, { bash_id: id }, { shellsFolder });

  expect(await talk.endTurn()).toEqual([]);
});

test('several come as one text, and sub-agents are told nothing', async () => {
  await ended('echo one');
  await ended('echo two');

  expect(await talk.endTurn({ isMainThread: false })).toEqual([]);
  const [notification] = await talk.endTurn();

  expect(notification?.text).toMatch(/echo one[^]*echo two/);
  expect(notification?.text).toContain(path.join(shellsFolder, 'bash_'));
});
