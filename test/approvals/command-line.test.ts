// Needs: a Temporal server (started by the run).
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decideApproval } from '../../src/cli/operator/approvals';
import type { ApprovalCommand } from '../../src/cli/operator/approval-command';
import { selectSession, selectSessions } from '../../src/cli/operator/select-sessions';
import { OutputStream } from '../../src/cli/output/output-stream';
import { parseCommand } from '../../src/cli/parse-command';
import type { Connected } from '../../src/cli/session-host';
import { withDurable, type Durable } from '../support/durable';
import { WrittenText } from '../support/fake-surroundings';
import { call, calls, says } from '../support/replies';
import { asking, isWritten, settle, waiting, writes } from './asked';

/** Runs the command line as given, SESSION standing for the beginning of the session's id. */
async function everloop(
  { sessionId, store, client, agent }: Durable,
  ...args: readonly string[]
): Promise<{ readonly exitCode: number; readonly stdout: string }> {
  const words = args.map((word) => (word === 'SESSION' ? sessionId.slice(0, 13) : word));
  const stdout = new WrittenText();
  const command = parseCommand(words, '1.2.3') as ApprovalCommand;
  const world = { store, client };
  const exitCode = await decideApproval(command, {
    connected: { client, agent } as unknown as Connected,
    stdout: new OutputStream(stdout.stream),
    session: (selector, among = 'any') => selectSession(selector, { ...world, among }),
    sessions: (selectors, among = 'open') => selectSessions(selectors, { ...world, among }),
    openServed: async (id) => (await store.openSession(id))!,
  });
  return { exitCode, stdout: stdout.text };
}

const idOf = async (durable: Durable): Promise<string> =>
  (await waiting(durable))[0]!.question.call.id;

test('without ids what waits is listed, with all of its input and how to decide', () =>
  withDurable({ script: [calls(writes('a\u001b[2Kb.txt'))] }, async (durable) => {
    await durable.say('Write.', asking);
    const toolUseId = await idOf(durable);

    const { stdout, exitCode } = await everloop(durable, 'approve', 'SESSION');
    const json = await everloop(durable, 'deny', 'SESSION', '--json');

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`"file_path": "a\\u001b[2Kb.txt"`);
    expect(stdout).toContain(`everloop approve ${durable.sessionId} ${toolUseId}`);
    expect(stdout).not.toContain('\u001b');
    expect(JSON.parse(json.stdout)).toMatchObject({
      sessionId: durable.sessionId,
      waiting: [{ toolUseId, name: 'Write', input: { content: 'a\u001b[2Kb.txt' } }],
    });
  }));

test('approve and deny decide by id, and say who was quicker, also when the query has gone on', () =>
  withDurable({ script: [calls(writes('a.txt')), says('Done.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const toolUseId = await idOf(durable);

    const first = await everloop(durable, 'approve', 'SESSION', toolUseId, '--who', 'ada');
    await durable.resultOf(id);
    const late = await everloop(durable, 'deny', 'SESSION', toolUseId, '--json');

    expect(first).toEqual({ exitCode: 0, stdout: `Write (${toolUseId}) is approved.\n` });
    expect(isWritten(durable, 'a.txt')).toBe(true);
    expect(late.exitCode).toBe(1);
    expect(JSON.parse(late.stdout)).toMatchObject({
      calls: [{ toolUseId, standing: 'approved', by: 'ada', isNew: false }],
    });
  }));

test('--all decides in every session that a visibility query finds', () =>
  withDurable({ script: [calls(writes('a.txt')), says('Done.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const toolUseId = await idOf(durable);
    const query = 'EverloopStatus = "awaiting-approval"';
    const own = `WorkflowId STARTS_WITH '${durable.sessionWorkflowId}' AND ${query}`;
    // What the server lists is a moment behind.
    while ((await durable.client.workflow.count(own)).count < 1);

    const { stdout, exitCode } = await everloop(durable, 'approve', query, '--all', '--json');

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      sessionId: durable.sessionId,
      calls: [{ toolUseId, standing: 'approved', isNew: true }],
    });
    await durable.resultOf(id);
    expect(isWritten(durable, 'a.txt')).toBe(true);
  }));

test('a reason of any length reaches the model', () =>
  withDurable({ script: [calls(writes('a.txt')), says('Then not.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const toolUseId = await idOf(durable);
    const note = `Because ${'of this and that '.repeat(40)}`;

    const { exitCode } = await everloop(durable, 'deny', 'SESSION', toolUseId, '--note', note);

    expect(exitCode).toBe(0);
    await durable.resultOf(id);
    expect(JSON.stringify(durable.requestMessages[1])).toContain(note);
  }));

test('an answer of any length reaches the model', () =>
  withDurable(
    {
      script: [
        calls(
          call('AskUserQuestion', {
            questions: [
              {
                question: 'Why?',
                header: 'Why',
                options: [
                  { label: 'A', description: 'a' },
                  { label: 'B', description: 'b' },
                ],
              },
            ],
          }),
        ),
        says('I see.'),
      ],
    },
    async (durable) => {
      const id = await durable.say('Ask.', asking);
      const toolUseId = await idOf(durable);
      const answer = 'Because of this and that. '.repeat(20).trim();

      const { stdout } = await everloop(durable, 'answer', 'SESSION', toolUseId, answer);

      expect(stdout).toBe(`AskUserQuestion (${toolUseId}) is answered.\n`);
      await durable.resultOf(id);
      expect(JSON.stringify(durable.requestMessages[1])).toContain(answer);
    },
  ));

test('--key signs, for a session that wants it', () =>
  withDurable({ script: [calls(writes('a.txt')), says('Done.')] }, async (durable) => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const signers = {
      ada: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    };
    settle(durable, 'user', { approvals: { requireSignature: true, signers } });
    const file = join(durable.home, 'ada.pem');
    writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const id = await durable.say('Write.', asking);
    await waiting(durable);
    const approve = ['approve', 'SESSION', '--all', '--who', 'ada'];

    await expect(everloop(durable, ...approve)).rejects.toThrow('needs a signed decision');
    const { exitCode } = await everloop(durable, ...approve, '--key', file);

    expect(exitCode).toBe(0);
    await durable.resultOf(id);
    expect(isWritten(durable, 'a.txt')).toBe(true);
  }));

test('an id that nobody knows, a digest of something else, and a file that is no key decide nothing', () =>
  withDurable({ script: [calls(writes('a.txt'))] }, async (durable) => {
    await durable.say('Write.', asking);
    const id = await idOf(durable);
    const approve = (...rest: readonly string[]) =>
      everloop(durable, 'approve', 'SESSION', ...rest);

    await expect(approve('toolu_none')).rejects.toThrow(`No call toolu_none waits.\n${id}  Write`);
    await expect(approve(id, '--digest', 'f00')).rejects.toThrow(`The digest of ${id} is`);
    await expect(approve(id, '--key', '/dev/null')).rejects.toThrow('/dev/null cannot be used');
    expect(await waiting(durable)).toHaveLength(1);
  }));
