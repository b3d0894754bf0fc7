import { choiceList, press, type ChoiceList } from '../../src/terminal/choice-list';
import { permissionAnswer, permissionChoices } from '../../src/terminal/permission-dialog';
import { chosenBy } from '../../src/terminal/plain-screen';
import {
  dialogAnswer,
  nextChoices,
  questionDialog,
  withAnswer,
} from '../../src/terminal/question-dialog';
import type { PermissionQuestion } from '../../src/transcript/permission';

const question = (more: Partial<PermissionQuestion> = {}): PermissionQuestion => ({
  call: { id: 'call', recordId: 'record', index: 0 } as never,
  toolName: 'Bash',
  input: { command: 'npm test' },
  reason: 'no rule',
  reasonType: 'mode',
  suggestedRules: ['Bash(npm test)'],
  blockedPath: null,
  ...more,
});

/** What comes of the keys, one after the other. */
function pressed(list: ChoiceList, ...keys: readonly string[]) {
  let now = list;
  for (const key of keys) {
    const next = press(now, key, key.length === 1 ? key : '');
    if (next.type !== 'list') return next;
    now = next.list;
  }
  return { type: 'list', list: now };
}

test('"always" grants what the question suggests; a no carries the reason', () => {
  const asked = question();

  expect(permissionAnswer(asked, { place: 1, text: '', by: 'me' })).toMatchObject({
    behavior: 'allow',
    grants: { allow: ['Bash(npm test)'] },
  });
  expect(permissionAnswer(asked, { place: 2, text: 'not now', by: 'me' })).toEqual({
    behavior: 'deny',
    message: 'not now',
    by: 'me',
  });
});

test('a call that no rule can allow cannot be allowed for always', () => {
  const asked = question({ suggestedRules: [] });

  expect(permissionChoices(asked).map(({ label }) => label)).toEqual([
    'Yes',
    'No, and say what to do instead',
  ]);
  expect(permissionAnswer(asked, { place: 1, text: '', by: 'me' })).toMatchObject({
    behavior: 'deny',
  });
});

test.each([
  [['enter'], { type: 'chosen', places: [0], text: '' }],
  [['down', 'enter'], { type: 'chosen', places: [1], text: '' }],
  [['2'], { type: 'chosen', places: [1], text: '' }],
  [
    ['up', 'enter', 'n', 'o', 'backspace', 'o', 'enter'],
    { type: 'chosen', places: [2], text: 'no' },
  ],
  [['3', 'escape', 'escape'], { type: 'cancelled' }],
])('the keys %j choose', (keys, outcome) => {
  expect(pressed(choiceList(permissionChoices(question())), ...keys)).toEqual(outcome);
});

test('several are marked with space where several may be chosen', () => {
  const list = choiceList([{ label: 'a' }, { label: 'b' }, { label: 'c' }], { isMultiple: true });

  expect(pressed(list, 'space', 'down', 'down', 'space', 'enter')).toEqual({
    type: 'chosen',
    places: [0, 2],
    text: '',
  });
});

test('questions are asked one after the other, and "Other" is answered in own words', () => {
  const option = (label: string) => ({ label, description: '' });
  const questions = ['One?', 'Two?'].map((text) => ({
    question: text,
    header: '',
    multiSelect: false,
    options: [option('a'), option('b')],
  }));
  const dialog = questionDialog(question({ toolName: 'AskUserQuestion', input: { questions } }));
  const first = withAnswer(dialog!, { places: [1], text: '' });
  expect(dialogAnswer(first, 'me')).toBeNull();
  expect(nextChoices(first).choices.at(-1)).toMatchObject({ label: 'Other' });

  const second = withAnswer(first, { places: [2], text: 'neither' });

  expect(dialogAnswer(second, 'me')).toMatchObject({
    behavior: 'allow',
    updatedInput: { answers: { 'One?': 'b', 'Two?': 'neither' } },
  });
});

test.each([
  ['1', { places: [0], text: '' }],
  ['3 use tabs', { places: [2], text: 'use tabs' }],
  ['1, 2', null],
  ['9', null],
  ['yes', null],
])('at a dumb terminal, "%s" chooses %j', (line, chosen) => {
  expect(chosenBy(line, choiceList(permissionChoices(question())))).toEqual(chosen);
});
