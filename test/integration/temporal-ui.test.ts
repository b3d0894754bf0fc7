// Needs: a Temporal server (started by the run).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { withDurable, type Durable } from '../support/durable';
import { eventsOf, payloadsOf, plainText, runsOf } from '../support/histories';
import { call, calls, fileIn, heldCommand, says } from '../support/replies';

const { EventType } = temporal.api.enums.v1;
const UPSERTED = EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES;

const SECRET = 'hunter2hunter2';
const KEY = 'EverloopStatus';
const ASKS = { permissionMode: 'default', asks: 'people' } as const;
const PERMISSION = calls(call('Bash', { command: `touch made # PASSWORD=${SECRET}` }));

interface Handler {
  readonly name: string;
  readonly description?: string;
}

interface Metadata {
  readonly currentDetails?: string;
  readonly definition: Readonly<
    Record<'queryDefinitions' | 'signalDefinitions' | 'updateDefinitions', readonly Handler[]>
  >;
}

async function attributesOf(handle: WorkflowHandle): Promise<Readonly<Record<string, unknown>>> {
  const { typedSearchAttributes } = await handle.describe();
  return Object.fromEntries(
    typedSearchAttributes
      .getAll()
      .filter(({ key }) => key.name.startsWith('Everloop'))
      .map(({ key, value }) => [key.name, value]),
  );
}

/** What the UI asks for when it shows the current details. */
async function detailsOf(handle: WorkflowHandle): Promise<string> {
  const metadata = await handle.query<Metadata>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

async function until(what: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  // A Workflow or what it shows may not be there yet.
  while (!(await what().catch(() => false))) {
    if (Date.now() > deadline) throw new Error('It did not come within 60 s.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function historyOf({ client }: Durable, handle: WorkflowHandle) {
  return eventsOf(await runsOf(client, handle.workflowId));
}

const summariesIn = (events: Awaited<ReturnType<typeof historyOf>>): readonly unknown[] =>
  events.flatMap(({ userMetadata }) => payloadsOf(userMetadata?.summary));

test('an undisturbed query is started with its attributes and sets none: a one-tool turn has 12 events', async () => {
  const script = [calls(call('Bash', { command: 'echo hello' })), says('Done.')];
  await withDurable({ script }, async (durable) => {
    const id = await durable.say(`Greet the world with TOKEN=${SECRET}.`, { isLast: true });
    await durable.resultOf(id);
    await durable.closed(durable.queryHandle(id));

    const events = await historyOf(durable, durable.queryHandle(id));
    const models = events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }, index) =>
      scheduled?.activityType?.name === 'callModel' ? [index] : [],
    );
    expect(models).toHaveLength(2);
    expect((models[1] ?? 0) - (models[0] ?? 0)).toBeLessThanOrEqual(12);
    expect(events.filter(({ eventType }) => eventType === UPSERTED)).toEqual([]);
    expect(await attributesOf(durable.queryHandle(id))).toMatchObject({
      EverloopStatus: 'running',
      EverloopModel: 'claude-sonnet-4-6',
      EverloopUser: 'tester',
      EverloopWorkspace: durable.session.meta.cwd,
    });
    expect(summariesIn(events)).toEqual([
      'Greet the world with TOKEN=[redacted]',
      'turn 1 · model',
      'turn 1 · Bash echo hello',
      'turn 2 · model',
      'end · completed',
    ]);
    expect(await (await durable.sessionHandle.describe()).staticSummary()).toBe(
      'Greet the world with TOKEN=[redacted]',
    );
  });
});

test('a call that waits for a yes is found by its status, and its details say how to give it', async () => {
  const script = [PERMISSION, says('Made.')];
  await withDurable({ script }, async (durable) => {
    const id = await durable.say('Make it.', { isLast: true, options: ASKS });
    const query = durable.queryHandle(id);
    await until(async () => (await attributesOf(query))[KEY] === 'awaiting-approval');

    const waiting = await attributesOf(query);
    const details = await detailsOf(query);
    const [, json = ''] = /```json\n(.*)\n```/.exec(details) ?? [];
    await query.executeUpdate('approve', { args: [JSON.parse(json)] });
    await durable.resultOf(id);
    await durable.closed(query);

    expect(waiting).toMatchObject({ EverloopWaitingFor: 'approval: Bash', EverloopTurn: 1 });
    expect(details).toContain('**awaiting-approval** · turn 1');
    expect(details).toContain('touch made # PASSWORD=[redacted]');
    expect(await attributesOf(query)).toMatchObject({ EverloopStatus: 'running', EverloopTurn: 2 });
    expect(await attributesOf(query)).not.toHaveProperty('EverloopWaitingFor');
    expect(plainText(await historyOf(durable, query))).not.toContain(SECRET);
  });
});

test.each([
  ['names', ['turn 1 · model', 'turn 1 · Bash', 'turn 2 · model', 'end · completed']],
  ['none', ['turn 1 · model', 'turn 1', 'turn 2 · model', 'end · completed']],
] as const)(
  'with the detail %s no word of prompt and input is in the history',
  async (uiDetail, summaries) => {
    const script = [calls(call('Bash', { command: 'echo word-of-input' })), says('Done.')];
    await withDurable({ script }, async (durable) => {
      const id = await durable.say('Word-of-prompt.', { isLast: true, options: { uiDetail } });
      await durable.resultOf(id);
      await durable.closed(durable.queryHandle(id));
      await durable.closed(durable.sessionHandle);

      const events = await historyOf(durable, durable.queryHandle(id));
      const session = await historyOf(durable, durable.sessionHandle);
      expect(summariesIn(events)).toEqual(summaries);
      expect(plainText([...events, ...session]).toLowerCase()).not.toContain('word-of-');
    });
  },
);

test('a rollover tells the figures at no cost, and the end tells the last', async () => {
  const script = Array.from({ length: 41 }, (_, index) =>
    calls(call('Bash', { command: `echo ${index}` })),
  );
  await withDurable(
    { script: [...script, says('Done.')], rolloverEvents: 200 },
    async (durable) => {
      const id = await durable.say('Count.', { isLast: true });
      await durable.resultOf(id);
      await durable.closed(durable.queryHandle(id));

      const events = await historyOf(durable, durable.queryHandle(id));
      const isFirst = ({ eventType }: (typeof events)[number]): boolean =>
        eventType === EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED;
      expect(events.filter(isFirst).length).toBeGreaterThan(1);
      expect(events.filter(({ eventType }) => eventType === UPSERTED)).toHaveLength(1);
      const second = events.filter(isFirst).at(1)?.workflowExecutionStartedEventAttributes;
      expect(JSON.stringify(payloadsOf(second?.searchAttributes?.indexedFields))).toContain(
        '"next_turn"',
      );
      expect(await attributesOf(durable.queryHandle(id))).toMatchObject({
        EverloopTurn: 42,
        EverloopTransition: 'next_turn',
        EverloopUser: 'tester',
      });
      expect(await detailsOf(durable.queryHandle(id))).toContain('> Count.');
    },
  );
});

test('where the server does not know the attributes none are set, and all else works', async () => {
  const script = [PERMISSION, says('Made.')];
  await withDurable({ script, hasAttributes: false }, async (durable) => {
    const id = await durable.say('Make it.', { isLast: true, options: ASKS });
    const query = durable.queryHandle(id);
    await until(async () => (await detailsOf(query)).includes('toolUseId'));
    await query.executeUpdate('approve', { args: [{ toolUseIds: 'all' }] });
    await durable.resultOf(id);
    await durable.closed(query);

    expect(await attributesOf(query)).toEqual({});
    expect(await (await query.describe()).staticSummary()).toBe('Make it.');
  });
});

test('a command that runs shows how far it is, without secrets', async () => {
  const held = heldCommand();
  const command = `echo ${SECRET.slice(0, 7)}; echo "API_KEY=${SECRET}"; ${
    held.type === 'tool_use' ? (held.input as { command: string }).command : ''
  }`;
  await withDurable(
    { script: [calls(call('Bash', { command })), says('Done.')] },
    async (durable) => {
      const id = await durable.say('Wait.', { isLast: true });
      await fileIn(durable.project, 'started');
      const query = durable.queryHandle(id);
      let shown = '';
      await until(async () => {
        const { pendingActivities } = (await query.describe()).raw;
        shown = JSON.stringify(payloadsOf(pendingActivities?.[0]?.heartbeatDetails));
        return shown.includes('bytes of output');
      });
      writeFileSync(join(durable.project, 'go'), '');
      await durable.resultOf(id);

      expect(shown).toMatch(
        /"elapsedSeconds":\d+,"doing":"\d+ bytes of output · API_KEY=\[redacted\]"/,
      );
    },
  );
});

test('every handler says what it is for', async () => {
  await withDurable({ script: [PERMISSION] }, async (durable) => {
    const id = await durable.say('Make it.', { options: ASKS });
    const query = durable.queryHandle(id);
    await until(async () => (await detailsOf(query)).includes('toolUseId'));

    for (const handle of [query, durable.sessionHandle]) {
      const { definition } = await handle.query<Metadata>('__temporal_workflow_metadata');
      const { queryDefinitions, signalDefinitions, updateDefinitions } = definition;
      const ours = [...queryDefinitions, ...signalDefinitions, ...updateDefinitions].filter(
        ({ name }) => !name.startsWith('__'),
      );
      expect(ours.length).toBeGreaterThan(5);
      expect(ours.filter(({ description = '' }) => description === '')).toEqual([]);
    }
  });
});
