import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rulesFor } from '../../../src/activities/run-tool/permission-rules';
import { openQueryCall } from '../../../src/activities/query-call';
import { given, type Given } from '../given';
import { hookUp, listens, heard } from '../hooked';
import { ask, toReply } from './asked';

let at: Given;
afterEach(() => at.close());

const says = (text: string) => ({ content: [{ type: 'text', text }] }) as const;

async function write(name: string, text: string): Promise<void> {
  const file = path.join(at.workspace, '.claude', name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

const bodyOf = (index: number): string => JSON.stringify(at.model.requests[index]?.body);

test('a line of a command runs where the command allows it, and its output is in the prompt', async () => {
  at = await given({ script: [says('Done.')] });
  await write(
    'commands/do.md',
    '---\nallowed-tools: Bash(touch:*)\n---\nMade: !`touch made; echo YES`',
  );
  const worker = at.worker();

  await ask(worker, await worker.say('/do'));

  expect(bodyOf(0)).toContain('Made: YES');
});

test('a line that nothing allows is not run, and the prompt is not sent', async () => {
  at = await given();
  await write('commands/do.md', 'Made: !`touch made`');
  const worker = at.worker();

  const outcome = await ask(worker, await worker.say('/do'));

  expect(outcome.type).toBe('no_request');
  const [, answer] = await worker.transcript();
  expect(JSON.stringify(answer)).toMatch(/\/do was not run\. Its line `touch made` is not allowed/);
});

test('a line that fails keeps the prompt back, with what it said', async () => {
  at = await given();
  await write('commands/do.md', 'See !`echo WHY; exit 3`');
  const worker = at.worker();

  await ask(worker, await worker.say('/do', { permissionMode: 'bypassPermissions' }));

  expect(JSON.stringify(await worker.transcript())).toMatch(/echo WHY; exit 3` failed:.*WHY/);
});

test('what a command allows holds for its query, also with the next Worker, and for no other', async () => {
  at = await given({ script: [says('Done.'), says('And?')] });
  await write('commands/do.md', '---\nallowed-tools: Bash(make:*)\nmodel: opus\n---\nDo it.');
  const said = await at.worker().say('/do');
  const { leaf } = toReply(await ask(at.worker(), said));
  const worker = at.worker();
  const other = await worker.say('More.');
  await ask(worker, other, other.attempt('2'), { leaf });

  const rulesOf = async (of: typeof said) => {
    const rules = await rulesFor(await openQueryCall(worker.deps, of.attempt('3')));
    return rules.map(({ tool, content }) => `${tool}(${content ?? ''})`);
  };

  expect(await rulesOf(said)).toEqual(['Bash(make:*)']);
  expect(await rulesOf(other)).toEqual([]);
  const models = at.model.requests.map(({ body }) => body.model);
  expect(models[0]).toMatch(/opus/);
  expect(bodyOf(0)).toContain('Do it.');
  expect(models).toHaveLength(2);
});

test('/clear forgets the conversation; hooks hear of both sides', async () => {
  at = await given({ script: [says('FIRST-REPLY'), says('SECOND-REPLY')] });
  await hookUp(at, { SessionEnd: listens('ended'), SessionStart: listens('began') });
  const worker = at.worker();
  const { leaf } = toReply(await ask(worker, await worker.say('FIRST-PROMPT')));
  const clear = await worker.say('/clear');
  const cleared = await ask(worker, clear, clear.attempt('2'), { leaf });
  const next = await worker.say('SECOND-PROMPT');

  const after = 'leaf' in cleared ? cleared.leaf : '';
  await ask(worker, next, next.attempt('3'), { leaf: after });

  expect(cleared.type).toBe('no_request');
  expect(bodyOf(1)).toContain('SECOND-PROMPT');
  expect(bodyOf(1)).not.toMatch(/FIRST-PROMPT|FIRST-REPLY|begins anew/);
  expect(await heard(at, 'ended')).toMatchObject([{ reason: 'clear' }]);
  expect(await heard(at, 'began')).toMatchObject([{ source: 'clear' }]);
});

test.each([
  ['/context', /Context of .*: about \d+ of \d+ tokens \(\d.*- Messages: about \d+/],
  ['/cost', /Cost of this session: \$0\.0000/],
])('%s is answered without a request', async (command, answer) => {
  at = await given({ script: [says('Hi.')] });
  const worker = at.worker();
  const { leaf } = toReply(await ask(worker, await worker.say('Hello')));
  const said = await worker.say(command);

  const outcome = await ask(worker, said, said.attempt('2'), { leaf });

  expect(outcome.type).toBe('no_request');
  expect(JSON.stringify((await worker.transcript()).at(-1))).toMatch(answer);
});

test('the text beside an image may be a command, and the image stays', async () => {
  at = await given({ script: [says('Seen.')] });
  await write('commands/look.md', 'LOOK-AT-IT');
  const worker = at.worker();
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'aGk=' },
  } as const;

  await ask(worker, await worker.say([image, { type: 'text', text: '/look' }]));

  expect(bodyOf(0)).toMatch(/image\/png.*LOOK-AT-IT/);
});

test('a file that rules forbid to read is not mentioned into the prompt', async () => {
  at = await given({ script: [says('Hm.')] });
  await write('settings.json', '{"permissions": {"deny": ["Read(.env)"]}}');
  await writeFile(path.join(at.workspace, '.env'), 'SECRET');
  const worker = at.worker();

  await ask(worker, await worker.say('What is in @.env?'));

  expect(bodyOf(0)).not.toContain('SECRET');
});

test('skills are listed once, and new ones when they are there', async () => {
  at = await given({ script: [says('One.'), says('Two.')] });
  const skill = (text: string) => `---\ndescription: ${text}\n---\nbody`;
  await write('skills/a/SKILL.md', skill('FIRST-SKILL'));
  const { leaf } = toReply(await ask(at.worker(), await at.worker().say('One')));
  await write('skills/b/SKILL.md', skill('SECOND-SKILL'));
  const worker = at.worker();
  const said = await worker.say('Two');

  await ask(worker, said, said.attempt('2'), { leaf });

  expect(bodyOf(0)).toMatch(/a: FIRST-SKILL/);
  expect(bodyOf(1).match(/FIRST-SKILL/g)).toHaveLength(1);
  expect(bodyOf(1)).toMatch(/b: SECOND-SKILL/);
});
