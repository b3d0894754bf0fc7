import { parseCommand } from '../../src/cli/parse-command';

const parse = (...args: readonly string[]) => parseCommand(args, '1.2.3');

test.each<[readonly string[], object]>([
  [['approve', '4f1c'], { kind: 'approve', session: '4f1c', toolUseIds: [], json: false }],
  [
    ['approve', '4f1c', 'toolu_1', 'toolu_2', '--remember', '--who', 'ada', '--json'],
    { toolUseIds: ['toolu_1', 'toolu_2'], remember: true, who: 'ada', json: true },
  ],
  [['approve', '4f1c', '--all'], { toolUseIds: 'all', remember: false, keyFile: null }],
  [
    ['deny', '4f1c', 'toolu_1', '--note', 'not now', '--digest', '0123456789abcdef'],
    { kind: 'deny', toolUseIds: ['toolu_1'], note: 'not now', digests: ['0123456789abcdef'] },
  ],
  [
    ['answer', '4f1c', 'toolu_1', 'SQLite', 'no', '--key', 'ada.pem'],
    { kind: 'answer', toolUseIds: ['toolu_1'], answers: ['SQLite', 'no'], keyFile: 'ada.pem' },
  ],
])('%j', (args, command) => {
  expect(parse(...args)).toMatchObject({ type: 'approval', ...command });
});

test.each<[readonly string[], string]>([
  [['approve', '4f1c', 'toolu_1', '--all'], 'Give ids, or --all, not both.'],
  [['answer', '4f1c', 'toolu_1'], 'everloop answer needs an answer behind toolu_1.'],
  [['deny', '4f1c', 'toolu_1', '--remember'], "unknown option '--remember'"],
  [['approve'], "missing required argument 'session'"],
])('%j is refused: %s', (args, words) => {
  expect(() => parse(...args)).toThrow(words);
});

test.each([
  [['run', '--detach', 'do it'], 'people'],
  [['run', '--detach', '--permission-prompt-tool', 'stdio', 'do it'], 'host'],
  [['-p', '--permission-prompt-tool', 'people', 'do it'], 'people'],
  [['-p', 'do it'], undefined],
])('%j asks %s', (args, asks) => {
  expect((parse(...args) as { run?: object }).run).toEqual(
    asks === undefined
      ? expect.not.objectContaining({ asks: expect.anything() as unknown })
      : expect.objectContaining({ asks }),
  );
});
