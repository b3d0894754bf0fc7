// Needs: the build, and a Temporal server (started when missing). The official Agent SDK drives bin/everloop.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { says } from '../support/replies';
import { conversationOf } from './conversation-of';
import { SdkRig, type Project } from './sdk-rig';

let rig: SdkRig;
beforeAll(async () => {
  rig = await SdkRig.start();
});
afterEach(() => rig.forget());
afterAll(() => rig.stop());

const AT = '2026-01-02T03:04:05.000Z';

/** Lines as Claude Code 2.1 writes them: some are no messages, and results hang behind their own calls. */
async function record({ cwd }: Project): Promise<string> {
  const sessionId = randomUUID();
  const base = { sessionId, cwd, version: '2.1.0', userType: 'external', isSidechain: false };
  const line = (uuid: string, parentUuid: string | null, more: object) => {
    return { ...base, uuid, parentUuid, timestamp: AT, gitBranch: '', ...more };
  };
  const said = (...content: object[]) => ({
    type: 'assistant',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content,
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 7, service_tier: 'standard' },
    },
  });
  const heard = (content: unknown) => ({ type: 'user', message: { role: 'user', content } });
  const call = (id: string) =>
    said({ type: 'tool_use', id, name: 'Read', input: { file_path: id } });
  const result = (id: string) =>
    heard([{ type: 'tool_result', tool_use_id: id, content: `text of ${id}` }]);
  const attachment = { type: 'attachment', attachment: { type: 'skill_listing', skillCount: 1 } };
  const lines = [
    { type: 'queue-operation', operation: 'enqueue', timestamp: AT, sessionId, content: 'x' },
    { type: 'file-history-snapshot', messageId: 'm', snapshot: {}, isSnapshotUpdate: false },
    line('u1', null, heard('read both')),
    line('x1', 'u1', attachment),
    line('a1', 'x1', call('toolu_a')),
    line('a2', 'a1', call('toolu_b')),
    line('r1', 'a1', { ...result('toolu_a'), toolUseResult: { type: 'text' } }),
    line('r2', 'a2', { ...result('toolu_b'), toolUseResult: { type: 'text' } }),
    line('a3', 'r2', {
      ...said({ type: 'text', text: 'Both read.' }),
      message: { ...said({ type: 'text', text: 'Both read.' }).message, id: 'msg_2' },
    }),
    { type: 'last-prompt', lastPrompt: 'read both', sessionId },
  ];
  const folder = join(rig.configDir, 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'));
  await mkdir(folder, { recursive: true });
  const text = lines.map((each) => `${JSON.stringify(each)}\n`).join('');
  await writeFile(join(folder, `${sessionId}.jsonl`), text);
  // A conversation of a sub-agent lies beside it.
  await writeFile(join(folder, 'agent-1.jsonl'), text);
  return sessionId;
}

const BEFORE = [
  'user: read both',
  'assistant: Read',
  'assistant: Read',
  'result: "text of toolu_a"',
  'result: "text of toolu_b"',
  'assistant: Both read.',
];

test('a session that Claude Code has recorded goes on where it ended, with all that it holds', async () => {
  const project = await rig.project(() => says('Going on.'));
  const resume = await record(project);

  const query = rig.client.query('and now?', { ...project.options, resume });

  expect(await query.result()).toMatchObject({ session_id: resume, result: 'Going on.' });
  expect(conversationOf(project.model.requests[0])).toEqual([...BEFORE, 'user: and now?']);
  expect(await rig.client.read('getSessionMessages', resume)).toHaveLength(8);
});

test('it can be forked: the recording stays as it was', async () => {
  const project = await rig.project(() => says('Another way.'));
  const resume = await record(project);

  const query = rig.client.query('and now?', { ...project.options, resume, forkSession: true });
  await query.result();

  expect(query.sessionId).not.toBe(resume);
  expect(conversationOf(project.model.requests[0])).toEqual([...BEFORE, 'user: and now?']);
  expect(await rig.client.read('getSessionMessages', resume)).toHaveLength(6);
});

test('it is the newest of its folder for `continue`, and everloop ls shows it', async () => {
  const project = await rig.project(() => says('Yes.'));
  const sessionId = await record(project);
  const { env = {}, pathToClaudeCodeExecutable = '' } = project.options;

  const { stdout } = await promisify(execFile)(pathToClaudeCodeExecutable, ['ls', '--json'], {
    env: env,
    cwd: project.cwd,
  });
  const query = rig.client.query('more', { ...project.options, continue: true });

  const listed = stdout.split('\n').filter((each) => each.includes(sessionId));
  expect(listed.map((each) => JSON.parse(each) as object)).toMatchObject([
    { cwd: project.cwd, createdAt: AT, state: 'recorded' },
  ]);
  expect(await query.result()).toMatchObject({ session_id: sessionId });
});

describe("the SDK's readers see what everloop wrote", () => {
  test('listSessions and getSessionMessages', async () => {
    const { options, cwd } = await rig.project([says('Hello.')]);
    const query = rig.client.query('Hi there', options);
    await query.result();

    const listed = await rig.client.read('listSessions', { dir: cwd });
    const messages = await rig.client.read('getSessionMessages', query.sessionId, { dir: cwd });

    expect(listed).toMatchObject([{ sessionId: query.sessionId, firstPrompt: 'Hi there', cwd }]);
    expect(messages).toMatchObject([
      { type: 'user', message: { content: [{ text: 'Hi there' }] } },
      { type: 'assistant', message: { content: [{ text: 'Hello.' }] } },
    ]);
  });

  test('what forkSession makes of it can be resumed', async () => {
    const { options, cwd, model } = await rig.project([says('Hello.'), says('Still here.')]);
    const query = rig.client.query('Hi there', options);
    await query.result();

    const fork = (await rig.client.read('forkSession', query.sessionId, { dir: cwd })) as {
      readonly sessionId: string;
    };
    const again = rig.client.query('and?', { ...options, resume: fork.sessionId });

    expect(await again.result()).toMatchObject({
      session_id: fork.sessionId,
      result: 'Still here.',
    });
    expect(conversationOf(model.requests.at(-1))).toEqual([
      'user: Hi there',
      'assistant: Hello.',
      'user: and?',
    ]);
  });

  test('a title that another program has added does no harm', async () => {
    const { options, cwd } = await rig.project([says('Hello.'), says('Yes.')]);
    const query = rig.client.query('Hi there', options);
    await query.result();
    const key = cwd.replace(/[^A-Za-z0-9]/g, '-');
    const file = join(rig.configDir, 'projects', key, `${query.sessionId}.jsonl`);

    await rig.client.read('renameSession', query.sessionId, 'Greeting', { dir: cwd });
    await appendFile(
      file,
      `${JSON.stringify({ type: 'tag', tag: 'x', sessionId: query.sessionId })}\n`,
    );
    const again = rig.client.query('and?', { ...options, resume: query.sessionId });

    expect(await again.result()).toMatchObject({ result: 'Yes.' });
    expect(await rig.client.read('listSessions', { dir: cwd })).toMatchObject([
      { customTitle: 'Greeting' },
    ]);
  });
});
