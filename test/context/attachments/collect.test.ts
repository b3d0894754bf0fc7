import { collectTurnAttachments } from '../../../src/context/attachments/collect';
import { Conversation } from './conversation';

let talk: Conversation;
beforeEach(async () => (talk = await Conversation.begin()));
afterEach(() => talk.end());

const told = (type: 'skills' | 'date_change') => async () => ({
  type,
  text: type,
  filesSeen: [],
  keys: [],
});

test('several sources speak in a fixed order', async () => {
  await talk.folder.write({
    'work/sub/CLAUDE.md': 'memory',
    'work/sub/.claude/skills/a/SKILL.md': '---\ndescription: d\n---\n',
    'work/sub/x.txt': 'x\n',
  });
  await talk.read('sub/x.txt');
  await talk.change('sub/x.txt', 'y\n');

  const attachments = await talk.endTurn({ now: new Date('2026-11-22T00:00:00.000Z') });

  expect(attachments.map(({ type }) => type)).toEqual([
    'file_changed',
    'nested_memory',
    'skills',
    'date_change',
  ]);
});

test('a source that fails yields nothing and takes nothing from the others', async () => {
  const collected = await collectTurnAttachments(talk.facts(), {
    sources: {
      skills: () => Promise.reject(new Error('no such disk')),
      nested_memory: () => {
        throw new Error('at once');
      },
      date_change: told('date_change'),
    },
  });

  expect(collected.attachments.map(({ type }) => type)).toEqual(['date_change']);
  expect(collected.errors).toEqual([
    { source: 'skills', message: 'no such disk' },
    { source: 'nested_memory', message: 'at once' },
  ]);
});

test('a source that is late yields nothing this time', async () => {
  const collected = await collectTurnAttachments(talk.facts(), {
    limitMs: 20,
    sources: { file_changed: () => new Promise(() => undefined), skills: told('skills') },
  });

  expect(collected.attachments.map(({ type }) => type)).toEqual(['skills']);
  expect(collected.errors).toEqual([
    { source: 'file_changed', message: 'Took longer than 20 ms.' },
  ]);
});

test('a failed search for memories is reported', async () => {
  const prefetched = {
    settled: () => {
      throw new Error('search failed');
    },
  };

  const { attachments, errors } = await collectTurnAttachments(talk.facts({ prefetched }));

  expect(attachments).toEqual([]);
  expect(errors).toEqual([{ source: 'relevant_memory', message: 'search failed' }]);
});

test('a working folder that is gone silences only the sources that look into it', async () => {
  const now = new Date('2026-11-22T00:00:00.000Z');

  const collected = await collectTurnAttachments(talk.facts({ cwd: '/nowhere', roots: [], now }));

  expect(collected.attachments.map(({ type }) => type)).toEqual(['date_change']);
  expect(collected.errors.map(({ source }) => source)).toEqual(['nested_memory', 'skills']);
});
