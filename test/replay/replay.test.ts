// Needs: nothing; bundles the Workflows of this source and runs recorded histories through them, offline.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Payload } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import type { HistoryEvent } from '../support/histories';
import { installQuietRuntime } from '../support/quiet-runtime';
import { workflowBundle } from '../support/workflow-bundle';

beforeAll(installQuietRuntime);

const HISTORIES = join(__dirname, 'histories');

interface Recorded {
  readonly workflowId: string;
  readonly history: { readonly events: readonly object[] };
}

const recorded = readdirSync(HISTORIES).flatMap((version) =>
  readdirSync(join(HISTORIES, version)).map((file): [string, Recorded] => [
    `${version}/${file}`,
    JSON.parse(readFileSync(join(HISTORIES, version, file), 'utf8')) as Recorded,
  ]),
);

/** Runs it through the Workflows of this source; returns every payload that they made, as text. */
async function replay({ workflowId, history }: Recorded): Promise<readonly string[]> {
  const made: string[] = [];
  const note = (payload: Payload): Payload => {
    made.push(textOf(payload));
    return payload;
  };
  await Worker.runReplayHistory(
    {
      workflowBundle: { codePath: await workflowBundle() },
      dataConverter: {
        payloadCodecs: [
          { encode: async (payloads) => payloads.map(note), decode: async (payloads) => payloads },
        ],
      },
    },
    history,
    workflowId,
  );
  return made;
}

const textOf = ({ data }: { readonly data?: Uint8Array | null }): string =>
  Buffer.from(data ?? []).toString('utf8');

/** What the Workflow of that time gave to the server: inputs, results, what it carried on, what it summed up. */
function commandPayloads({ events }: { readonly events?: readonly HistoryEvent[] | null }) {
  return (events ?? []).flatMap((event) => {
    const payloads =
      event.activityTaskScheduledEventAttributes?.input?.payloads ??
      event.startChildWorkflowExecutionInitiatedEventAttributes?.input?.payloads ??
      event.signalExternalWorkflowExecutionInitiatedEventAttributes?.input?.payloads ??
      event.workflowExecutionContinuedAsNewEventAttributes?.input?.payloads ??
      event.workflowExecutionCompletedEventAttributes?.result?.payloads ??
      [];
    const summary = event.activityTaskScheduledEventAttributes && event.userMetadata?.summary;
    return [...payloads, ...(summary ? [summary] : [])].map(textOf);
  });
}

const fromPayload = (text: string): unknown => (text === '' ? null : JSON.parse(text));

/** A later build may add fields; none may go, none may change. */
function holds(now: unknown, then: unknown): boolean {
  if (typeof then !== 'object' || then === null) return now === then;
  if (typeof now !== 'object' || now === null) return false;
  if (Array.isArray(then) && (!Array.isArray(now) || now.length !== then.length)) return false;
  return Object.entries(then).every(([key, value]) => holds(Reflect.get(now, key), value));
}

test.each(recorded)(
  '%s replays, and the Workflow gives away what it gave then, or more',
  async (_file, run) => {
    const made = await replay(run);

    const given = commandPayloads(historyFromJSON(run.history));
    expect(given).not.toEqual([]);
    const now = made.map(fromPayload);
    const lost = given.filter((payload) => !now.some((one) => holds(one, fromPayload(payload))));
    expect(lost).toEqual([]);
  },
);

test('a Workflow that decides otherwise is found out', async () => {
  const [, run] = recorded.find(([file]) => file.endsWith('/tool-turns.query.json')) ?? [];
  const text = JSON.stringify(run?.history).replaceAll('"name":"runTool"', '"name":"otherTool"');

  const replaying = replay({
    workflowId: run?.workflowId ?? '',
    history: JSON.parse(text) as Recorded['history'],
  });

  await expect(replaying).rejects.toThrow('Nondeterminism');
});

test('recorded histories hold no path but the project of the recording, and no machine name', () => {
  for (const [file, run] of recorded) {
    const identities = [...JSON.stringify(run).matchAll(/"identity":"(.*?)"/g)].map(
      ([, who]) => who,
    );
    const paths = JSON.stringify(commandPayloads(historyFromJSON(run.history))).match(
      /\/(home|root|work|Users|tmp\/(?!everloop-project))[\w./-]*/g,
    );

    expect({ file, identities: [...new Set(identities)], paths }).toEqual({
      file,
      identities: ['everloop'],
      paths: null,
    });
  }
});
