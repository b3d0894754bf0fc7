// Needs: a Temporal server (started by the run).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDurable, type Durable } from '../support/durable';
import { call, calls, says } from '../support/replies';
import { asking, isWritten, refusal, send, settle, waiting, writes } from './asked';

const list = call('Glob', { pattern: '*' });

test('a call asked about in a later run waits through a lost Worker, and is approved by the id that was seen', () =>
  withDurable(
    {
      script: [calls(list), calls(list), calls(writes('a.txt')), says('Done.')],
      rolloverEvents: 1,
    },
    async (durable) => {
      const id = await durable.say('Write.', asking);
      const [asked] = await waiting(durable);
      const toolUseId = asked!.question.call.id;
      await durable.stopServing();
      await durable.serve();

      const again = await waiting(durable);
      const receipt = await send(durable.queryHandle(id), 'approve', { toolUseId, who: 'ada' });

      expect(again).toEqual([asked]);
      expect(receipt.calls).toMatchObject([{ toolUseId, isNew: true }]);
      expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
      expect(isWritten(durable, 'a.txt')).toBe(true);
    },
  ));

test('who comes after a rollover still hears who decided before it', () =>
  withDurable(
    {
      script: [calls(writes('a.txt')), calls(writes('b.txt')), says('Done.')],
      rolloverEvents: 1,
    },
    async (durable) => {
      const id = await durable.say('Write.', asking);
      const [first] = await waiting(durable);
      const { call: before } = first!.question;
      const query = durable.queryHandle(id);
      await send(query, 'approve', { toolUseId: before.id, who: 'ada' });
      const second = await nextAfter(durable, before.recordId);

      const late = await send(query, 'deny', { toolUseId: before.recordId, who: 'bob' });

      expect(late.message).toContain('was already decided: approved by ada at');
      await send(query, 'approve', { toolUseId: second });
      await durable.resultOf(id);
    },
  ));

/** Record of the next call that waits. */
async function nextAfter(durable: Durable, recordId: string): Promise<string> {
  for (;;) {
    const [asked] = await waiting(durable);
    const next = asked!.question.call.recordId;
    if (next !== recordId) return next;
  }
}

const outside = (name: string) => call('Read', { file_path: `../outside/${name}` });

function makeOutside({ home }: Durable, ...names: readonly string[]): void {
  mkdirSync(join(home, 'outside'));
  for (const name of names) writeFileSync(join(home, 'outside', name), `text of ${name}`);
}

test('several calls are decided at once, each as it was named', () =>
  withDurable(
    { script: [calls(outside('one'), outside('two'), outside('three')), says('Read.')] },
    async (durable) => {
      makeOutside(durable, 'one', 'two', 'three');
      const id = await durable.say('Read.', asking);
      const asked = await waiting(durable, 3);
      const ids = asked.map(({ question }) => question.call.id);
      const query = durable.queryHandle(id);

      const two = await send(query, 'approve', { toolUseIds: ids.slice(0, 2), who: 'ada' });
      const rest = await send(query, 'deny', { toolUseIds: 'all', who: 'ada' });

      expect(two.calls.map(({ standing }) => standing)).toEqual(['approved', 'approved']);
      expect(rest.calls).toMatchObject([{ toolUseId: ids[2], standing: 'denied' }]);
      await durable.resultOf(id);
      expect(JSON.stringify(durable.requestMessages[1])).toMatch(
        /text of one.*text of two.*denied by ada/,
      );
    },
  ));

const fetches = (path: string) =>
  call('WebFetch', { url: `http://localhost:1/${path}`, prompt: 'x' });

test('remember lets a call go on that waits beside it, and one that comes later, and no other kind', () =>
  withDurable(
    {
      script: [
        calls(fetches('one'), fetches('two'), outside('secret')),
        calls(fetches('three')),
        says('Done.'),
      ],
    },
    async (durable) => {
      makeOutside(durable, 'secret');
      const id = await durable.say('Fetch.', asking);
      const asked = await waiting(durable, 3);
      const [one, two, secret] = asked.map(({ question }) => question.call);
      const query = durable.queryHandle(id);

      await send(query, 'approve', { toolUseId: one!.id, who: 'ada', remember: true });
      const decided = await durable.told(
        (entry) =>
          entry.type === 'permission_decided' && entry.decision.call.recordId === two!.recordId,
      );
      const left = await waiting(durable);

      expect(decided).toMatchObject({ decision: { behavior: 'allow', by: 'ada' } });
      expect(left.map(({ question }) => question.call)).toEqual([secret]);
      await send(query, 'deny', { toolUseId: secret!.id });
      expect(await durable.resultOf(id)).toMatchObject({
        result: 'Done.',
        permission_denials: [{ tool_name: 'Read' }],
      });
    },
  ));

test('remember lets the calls of sub-agents go on as well', () =>
  withDurable(
    {
      script: [
        calls(call('Agent', { description: 'fetch it', prompt: 'Fetch.' }), fetches('two')),
        calls(fetches('one')),
        says('Fetched.'),
        says('Done.'),
      ],
    },
    async (durable) => {
      const id = await durable.say('Fetch.', asking);
      const asked = await waiting(durable, 2);
      const own = durable.queryHandle(id);
      const mine = asked.find(({ queryId }) => queryId === own.workflowId);

      const toolUseId = mine!.question.call.recordId;
      await send(own, 'approve', { toolUseId, who: 'ada', remember: true });

      expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
    },
  ));

test('what cannot be remembered is refused, not half done', () =>
  withDurable({ script: [calls(writes('a.txt'))] }, async (durable) => {
    settle(durable, 'project', { permissions: { ask: ['Write'] } });
    const id = await durable.say('Write.', asking);
    const [asked] = await waiting(durable);
    const toolUseId = asked!.question.call.id;

    expect(
      await refusal(send(durable.queryHandle(id), 'approve', { toolUseId, remember: true })),
    ).toBe(
      `${toolUseId} cannot be remembered, because no rule would cover it: leave remember out.`,
    );
  }));

test.each([
  ['deny', 'project', 'Nobody decided about this call in the time'],
  ['allow', 'user', 'Created '],
] as const)(
  'where a time is set, its end means %s, and who comes later hears it',
  (outcome, place, words) =>
    withDurable(
      { script: [calls(writes('a.txt')), calls(list), calls(writes('b.txt')), says('Done.')] },
      async (durable) => {
        settle(durable, place, { approvals: { timeoutMinutes: 0.02, outcome } });
        const id = await durable.say('Write.', asking);
        const first = await durable.told((entry) => entry.type === 'permission_requested');
        const result = await durable.resultOf(id);
        if (first.type !== 'permission_requested') throw new Error('unreachable');
        const { recordId } = first.question.call;

        expect(result).toMatchObject({ result: 'Done.' });
        expect(JSON.stringify(durable.requestMessages[1])).toContain(words);
        expect(isWritten(durable, 'a.txt')).toBe(outcome === 'allow');
        expect(await durable.session.readDocument(`decision-${recordId}`)).toMatchObject({
          by: 'the time limit',
        });
      },
    ),
);

test('a call that has expired says so to whoever decides then', () =>
  withDurable(
    { script: [calls(outside('one'), call('Sleep', { duration_ms: 60_000 })), says('Done.')] },
    async (durable) => {
      settle(durable, 'project', { approvals: { timeoutMinutes: 0.02 } });
      makeOutside(durable, 'one');
      const id = await durable.say('Read.', asking);
      const asked = await durable.told((entry) => entry.type === 'permission_requested');
      await durable.told((entry) => entry.type === 'permission_decided');
      if (asked.type !== 'permission_requested') throw new Error('unreachable');
      const toolUseId = asked.question.call.id;

      const late = await send(durable.queryHandle(id), 'approve', { toolUseId });

      expect(late.calls).toMatchObject([{ standing: 'expired', isNew: false }]);
      expect(late.message).toContain(`Read (${toolUseId}) has expired: nobody had decided by 20`);
    },
  ));

test('a question is answered in its own words, and approve is refused for it', () =>
  withDurable(
    {
      script: [
        calls(
          call('AskUserQuestion', {
            questions: [
              {
                question: 'Which database?',
                header: 'Database',
                options: [
                  { label: 'Postgres', description: 'the usual' },
                  { label: 'SQLite', description: 'small' },
                ],
              },
            ],
          }),
        ),
        says('SQLite it is.'),
      ],
    },
    async (durable) => {
      const id = await durable.say('Ask.', asking);
      const [asked] = await waiting(durable);
      const toolUseId = asked!.question.call.id;
      const query = durable.queryHandle(id);

      const wrong = await refusal(send(query, 'approve', { toolUseId }));
      const receipt = await send(query, 'answer', { toolUseId, answers: 'SQLite', who: 'ada' });

      expect(asked!.question).toMatchObject({
        isQuestion: true,
        why: 'choices: Postgres | SQLite',
        summary: 'Which database?',
      });
      expect(wrong).toContain('is a question: give its answer with answer');
      expect(receipt.calls).toMatchObject([{ standing: 'answered', isNew: true }]);
      await durable.resultOf(id);
      expect(JSON.stringify(durable.requestMessages[1])).toContain('Which database?\\n  SQLite');
    },
  ));

test('a stop ends the wait, and who decides then hears it', () =>
  withDurable(
    { script: [calls(outside('one'), call('Sleep', { duration_ms: 60_000 }))] },
    async (durable) => {
      makeOutside(durable, 'one');
      const id = await durable.say('Read.', asking);
      const [asked] = await waiting(durable);
      const toolUseId = asked!.question.call.id;
      const query = durable.queryHandle(id);
      await durable.agent.interrupt(durable.sessionId, 'user');
      await durable.resultOf(id);

      const late = await send(query, 'approve', { toolUseId }).then(
        ({ message }) => message,
        (error: unknown) => String(error),
      );

      // Its Workflow may be closed by then.
      expect(late).toMatch(/waits no longer: its query was stopped|not found|completed/);
      expect(await durable.agent.questions(durable.sessionId)).toEqual([]);
    },
  ));
