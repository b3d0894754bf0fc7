// Needs: a Temporal server (started by the run).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PermissionAnswer } from '../../src/transcript/permission';
import type { LogEntry } from '../../src/transcript/session-log';
import type { OpenQuestion } from '../../src/workflows/interface';
import { withDurable, type Durable } from '../support/durable';
import { call, calls, fileIn, says } from '../support/replies';

type Requested = Extract<LogEntry, { type: 'permission_requested' }>;

const ALLOW: PermissionAnswer = { behavior: 'allow', by: 'host' };
const asking = { options: { permissionMode: 'default', asks: 'host' } } as const;
const write = call('Write', { file_path: 'a.txt', content: 'a' });

const fileA = ({ project }: Durable): string => join(project, 'a.txt');

async function requested(
  durable: Durable,
  fits: (one: Requested) => boolean = () => true,
): Promise<Requested> {
  const entry = await durable.told((one) => one.type === 'permission_requested' && fits(one));
  if (entry.type !== 'permission_requested') throw new Error('unreachable');
  return entry;
}

/** What an operator sees, as soon as the Workflow knows of so many. */
async function waiting({ agent, sessionId }: Durable, count = 1): Promise<readonly OpenQuestion[]> {
  for (;;) {
    const questions = await agent.questions(sessionId);
    if (questions.length >= count) return questions.map(({ question }) => question);
  }
}

const answer = (durable: Durable, { queryId, question }: Requested, given: PermissionAnswer) =>
  durable.agent.answer(durable.session, { queryId, call: question.call }, given);

test('a call that rules leave open waits in the status of its query, and runs once it is allowed', () =>
  withDurable({ script: [calls(write), says('Done.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const question = await requested(durable);
    const [seen] = await waiting(durable);
    const before = existsSync(fileA(durable));

    expect(seen).toMatchObject({ call: question.question.call, name: 'Write' });
    expect(await answer(durable, question, ALLOW)).toBe('decided');
    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.', permission_denials: [] });
    expect([before, existsSync(fileA(durable))]).toEqual([false, true]);
    expect(await answer(durable, question, ALLOW)).toBe('not_asked');
  }));

test('a question survives its Worker: the next one hears the answer and runs the call', () =>
  withDurable({ script: [calls(write), says('Done.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const question = await requested(durable);
    await waiting(durable);
    await durable.stopServing();
    await durable.serve();

    expect(await waiting(durable)).toHaveLength(1);
    expect(await answer(durable, question, ALLOW)).toBe('decided');
    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
    expect(readFileSync(fileA(durable), 'utf8')).toBe('a');
  }));

test('an answer that is quicker than the news of its question counts', () =>
  withDurable({ script: [calls(write), says('Done.')] }, async (durable) => {
    const held = 'cat > /dev/null; touch held; until [ -e go ]; do sleep 0.02; done';
    hookUp(durable, { PermissionRequest: held });
    const id = await durable.say('Write.', asking);
    await fileIn(durable.project, 'held');
    const early = await answer(durable, await callOf(durable), ALLOW);
    writeFileSync(join(durable.project, 'go'), '');

    expect(early).toBe('decided');
    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
    expect(existsSync(fileA(durable))).toBe(true);
  }));

const late = { type: 'text', text: 'And that is it.', hold: 'late' } as const;

test('a call is asked about while its reply streams, and one that is answered by then does not wait', () =>
  withDurable({ script: [calls(write, late), says('Done.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const question = await requested(durable);
    await durable.model.waitUntilHeld('late');
    const receipt = await answer(durable, question, ALLOW);
    const before = existsSync(fileA(durable));
    durable.model.release('late');

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.', permission_denials: [] });
    expect([receipt, before, existsSync(fileA(durable))]).toEqual(['decided', false, true]);
    const asked = durable.entries.filter(({ type }) => type === 'permission_requested');
    expect(asked).toHaveLength(1);
  }));

test('a call that was asked about while its reply streamed waits when its turn comes', () =>
  withDurable({ script: [calls(write, late), says('Done.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const question = await requested(durable);
    durable.model.release('late');
    await waiting(durable);

    expect(await answer(durable, question, ALLOW)).toBe('decided');
    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
    const asked = durable.entries.filter(({ type }) => type === 'permission_requested');
    expect(asked).toHaveLength(1);
  }));

test('a question goes with the reply that is taken back, and the next reply asks anew', () =>
  withDurable(
    {
      script: [
        { ...calls(write, late), interruptions: [{ type: 'cut', afterBlocks: 2 }] },
        calls(write),
        says('Done.'),
      ],
    },
    async (durable) => {
      const id = await durable.say('Write.', asking);
      const first = await requested(durable);
      durable.model.release('late');
      const second = await requested(
        durable,
        ({ question }) => question.call.recordId !== first.question.call.recordId,
      );
      await answer(durable, second, ALLOW);

      expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
      expect(durable.entries).toContainEqual(
        expect.objectContaining({ type: 'stream_discarded', stream: first.stream }),
      );
    },
  ));

test('an interrupt ends the wait; who answers later is told that nobody asks', () =>
  withDurable({ script: [calls(write), says('Fine.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const question = await requested(durable);
    await waiting(durable);
    await durable.agent.interrupt(durable.sessionId, 'user');

    expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_tools' });
    expect(await answer(durable, question, ALLOW)).toBe('not_asked');
    expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
    expect(JSON.stringify(durable.requestMessages[1])).toMatch(/tool_result.*is_error.*Next\./);
    expect(existsSync(fileA(durable))).toBe(false);
  }));

test('a no to everything ends the query, with the no on record', () =>
  withDurable({ script: [calls(write, write), says('Fine.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const no = { behavior: 'deny', message: 'Stop that.', interrupt: true, by: 'host' } as const;
    const question = await requested(durable);
    // Before its turn has come, a no to everything ends the reply that still streams.
    await waiting(durable);
    await answer(durable, question, no);

    expect(await durable.resultOf(id)).toMatchObject({
      terminal_reason: 'aborted_tools',
      permission_denials: [{ tool_name: 'Write', tool_input: { file_path: 'a.txt' } }],
    });
    await durable.ask('Next.');
    expect(JSON.stringify(durable.requestMessages[1])).toMatch(
      /Stop that\..*The user stopped this tool call/,
    );
  }));

test('a no to everything while the reply streams ends it, with the no on record', () =>
  withDurable({ script: [calls(write, late)] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const question = await requested(durable);
    await durable.model.waitUntilHeld('late');
    const no = { behavior: 'deny', message: 'Stop that.', interrupt: true, by: 'host' } as const;
    await answer(durable, question, no);

    expect(await durable.resultOf(id)).toMatchObject({
      terminal_reason: 'aborted_streaming',
      permission_denials: [{ tool_name: 'Write', tool_input: { file_path: 'a.txt' } }],
    });
    expect(existsSync(fileA(durable))).toBe(false);
  }));

test('a no alone is a result that the model reads, and the query goes on', () =>
  withDurable({ script: [calls(write), says('Then not.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const no = { behavior: 'deny', message: 'Not there.', by: 'host' } as const;
    await answer(durable, await requested(durable), no);

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Then not.', subtype: 'success' });
    expect(JSON.stringify(durable.requestMessages[1])).toContain('Not there.');
  }));

test('calls that may overlap wait side by side, and are answered in any order', () =>
  withDurable({ script: [calls(readOf('one'), readOf('two')), says('Read.')] }, async (durable) => {
    const folder = join(durable.home, 'outside');
    mkdirSync(folder);
    for (const name of ['one', 'two']) writeFileSync(join(folder, name), `text of ${name}`);
    const id = await durable.say('Read.', asking);
    await waiting(durable, 2);
    for (const name of ['two', 'one']) {
      const about = ({ question }: Requested) => JSON.stringify(question.input).includes(name);
      expect(await answer(durable, await requested(durable, about), ALLOW)).toBe('decided');
    }

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Read.' });
    expect(JSON.stringify(durable.requestMessages[1])).toMatch(/text of one.*text of two/);
  }));

test('a sub-agent asks like anybody else, and its question is found from the session', () =>
  withDurable(
    {
      script: [
        calls(call('Agent', { description: 'write it', prompt: 'Write a file.' })),
        calls(write),
        says('Written.'),
        says('Done.'),
      ],
    },
    async (durable) => {
      const id = await durable.say('Have it written.', asking);
      const question = await requested(durable);
      const [seen] = await waiting(durable);

      expect(seen).toMatchObject({ call: question.question.call, name: 'Write' });
      expect(question.queryId).not.toBe(durable.queryHandle(id).workflowId);
      expect(await answer(durable, question, ALLOW)).toBe('decided');
      expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
      expect(existsSync(fileA(durable))).toBe(true);
    },
  ));

const readOf = (name: string) => call('Read', { file_path: `../outside/${name}` });

/** The call as a question about it would name it, before there is one. */
async function callOf(durable: Durable): Promise<Requested> {
  const entry = await durable.told(
    (one) => one.type === 'record' && JSON.stringify(one.record).includes('tool_use'),
  );
  if (entry.type !== 'record' || entry.record.type !== 'assistant') throw new Error('No call.');
  const [block] = entry.record.message.content;
  if (block?.type !== 'tool_use') throw new Error('No call.');
  const question = { call: { id: block.id, recordId: entry.record.uuid } };
  return { type: 'permission_requested', queryId: entry.queryId, question } as Requested;
}

function hookUp({ project }: Durable, commands: Readonly<Record<string, string>>): void {
  const hooks = Object.fromEntries(
    Object.entries(commands).map(([event, command]) => [
      event,
      [{ hooks: [{ type: 'command', command }] }],
    ]),
  );
  mkdirSync(join(project, '.claude'), { recursive: true });
  writeFileSync(join(project, '.claude/settings.json'), JSON.stringify({ hooks }));
}
