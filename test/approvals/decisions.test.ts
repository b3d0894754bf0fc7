// Needs: a Temporal server (started by the run).
import { withDurable } from '../support/durable';
import { calls, says } from '../support/replies';
import { asking, isWritten, refusal, send, waiting, writes } from './asked';

test('a call that waits shows what it is, why it asks, and a digest of what would run', () =>
  withDurable({ script: [calls(writes('a.txt'))] }, async (durable) => {
    await durable.say('Write.', asking);

    const [asked] = await waiting(durable);

    expect(asked?.question).toMatchObject({
      name: 'Write',
      summary: 'a.txt',
      why: 'Write needs a permission that no rule and no mode gives.',
      digest: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      canRemember: true,
    });
    expect(JSON.stringify(asked)).not.toContain('content');
  }));

test('approve, sent as the form of the UI sends it, lets the call run', () =>
  withDurable({ script: [calls(writes('a.txt')), says('Done.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const [asked] = await waiting(durable);
    const toolUseId = asked!.question.call.id;

    const receipt = await send(durable.queryHandle(id), 'approve', { toolUseId, who: 'ada' });

    expect(receipt).toMatchObject({
      message: `Write (${toolUseId}) is approved.`,
      calls: [{ toolUseId, standing: 'approved', by: 'ada', isNew: true }],
    });
    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.', permission_denials: [] });
    expect(isWritten(durable, 'a.txt')).toBe(true);
  }));

test('a denial is a result that the model reads, with the note as its reason and the name on record', () =>
  withDurable({ script: [calls(writes('a.txt')), says('Then not.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const [asked] = await waiting(durable);
    const { call } = asked!.question;

    const note = 'only on staging';
    await send(durable.queryHandle(id), 'deny', { toolUseId: call.id, who: 'ada', note });

    expect(await durable.resultOf(id)).toMatchObject({
      result: 'Then not.',
      permission_denials: [{ tool_name: 'Write' }],
    });
    expect(JSON.stringify(durable.requestMessages[1])).toContain('denied by ada: only on staging');
    expect(isWritten(durable, 'a.txt')).toBe(false);
    expect(await durable.session.readDocument(`decision-${call.recordId}`)).toMatchObject({
      behavior: 'deny',
      by: 'ada',
      note,
      toolName: 'Write',
    });
  }));

test('of two people the second hears who decided, and when', () =>
  withDurable({ script: [calls(writes('a.txt')), says('Done.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const [asked] = await waiting(durable);
    const toolUseId = asked!.question.call.id;
    const query = durable.queryHandle(id);

    const receipts = await Promise.all([
      send(query, 'approve', { toolUseId, who: 'ada' }),
      send(query, 'deny', { toolUseId, who: 'bob' }),
    ]);

    const [first, second] = receipts.toSorted((one) => (one.calls[0]?.isNew === true ? -1 : 1));
    const by = first?.calls[0]?.by;
    expect(first?.calls).toMatchObject([{ isNew: true }]);
    expect(second?.calls).toMatchObject([{ isNew: false, by }]);
    expect(second?.message).toMatch(
      new RegExp(`was already decided: (approved|denied) by ${by} at 20..-`),
    );
    await durable.resultOf(id);
    expect(isWritten(durable, 'a.txt')).toBe(by === 'ada');
  }));

test('a program that hosts the session is too late when a person has decided', () =>
  withDurable({ script: [calls(writes('a.txt')), says('Then not.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const [asked] = await waiting(durable);
    const { queryId, question } = asked!;
    await durable.session.putAnswer(question.call, { behavior: 'allow', by: 'host' });

    await send(durable.queryHandle(id), 'deny', { toolUseId: question.call.id });
    const receipt = await durable.agent.answer(
      durable.session,
      { queryId, call: question.call },
      { behavior: 'allow', by: 'host' },
    );

    expect(receipt).toBe('not_asked');
    await durable.resultOf(id);
    expect(isWritten(durable, 'a.txt')).toBe(false);
  }));

test('a person is too late when the program that hosts the session has answered', () =>
  withDurable(
    { script: [calls(writes('a.txt'), writes('b.txt')), says('Done.')] },
    async (durable) => {
      const id = await durable.say('Write.', asking);
      const [asked] = await waiting(durable);
      const { queryId, question } = asked!;
      await durable.agent.answer(
        durable.session,
        { queryId, call: question.call },
        { behavior: 'allow', by: 'the host' },
      );

      const late = await send(durable.queryHandle(id), 'deny', { toolUseId: question.call.id });

      expect(late.message).toContain('already decided: answered by the host at');
      await waiting(durable);
      await send(durable.queryHandle(id), 'approve', { toolUseIds: 'all' });
      await durable.resultOf(id);
      expect(isWritten(durable, 'a.txt')).toBe(true);
    },
  ));

test('an id that does not wait is refused, with those that do', () =>
  withDurable({ script: [calls(writes('a.txt'))] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const [asked] = await waiting(durable);
    const toolUseId = asked!.question.call.id;
    const query = durable.queryHandle(id);

    expect(await refusal(send(query, 'approve', { toolUseId: 'toolu_none' }))).toBe(
      `No call toolu_none waits for a decision. These wait: ${toolUseId} (Write a.txt).`,
    );
  }));

test('another digest than the one of what waits is refused, and nothing is decided', () =>
  withDurable({ script: [calls(writes('a.txt')), says('Done.')] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    const [asked] = await waiting(durable);
    const { call, digest } = asked!.question;
    const query = durable.queryHandle(id);

    const other = await refusal(
      send(query, 'approve', { toolUseId: call.id, digest: '0123456789abcdef' }),
    );
    const same = await send(query, 'approve', { toolUseId: call.id, digest });

    expect(other).toContain(`The digest of ${call.id} is ${String(digest)}, not 0123456789abcdef`);
    expect(same.calls).toMatchObject([{ isNew: true }]);
    await durable.resultOf(id);
  }));

test.each<[string, unknown, string]>([
  ['no object', 'toolu_1', 'approve takes an object such as {"toolUseId"'],
  ['a misspelt field', { toolUseID: 'toolu_1' }, 'approve has no field "toolUseID". It has'],
  ['no id', { who: 'ada' }, 'approve needs toolUseId'],
  ['a note without end', { toolUseId: 'x', note: 'x'.repeat(201) }, 'note has 201 characters'],
  ['remember as a text', { toolUseId: 'x', remember: 'yes' }, 'remember is "yes": give true'],
])('%s is refused before it is in the history', (_what, input, words) =>
  withDurable({ script: [calls(writes('a.txt'))] }, async (durable) => {
    const id = await durable.say('Write.', asking);
    await waiting(durable);
    const query = durable.queryHandle(id);

    expect(await refusal(send(query, 'approve', input))).toContain(words);
    const { events } = await query.fetchHistory();
    expect(events?.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes)).toBe(
      false,
    );
  }),
);
