// Needs: a Temporal server (started by the run).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply } from '../../src/scripted-model/reply';
import { withDurable, type Durable } from '../support/durable';
import { eventsOf, payloadsOf, plainText, runsOf, type HistoryEvent } from '../support/histories';
import { call, calls, fileIn, heldCommand, says, text } from '../support/replies';

const PREVIEW_CHARS = 200;
const marker = (place: string): string => `MARKER-${place}-MARKER`;
const behindPreview = (place: string): string => 'x'.repeat(PREVIEW_CHARS) + marker(place);

const SCRIPT: readonly Reply[] = [
  {
    content: [
      { type: 'thinking', thinking: marker('thinking'), signature: marker('signature') },
      text(marker('reply')),
      call('Write', { file_path: 'big.txt', content: marker('write').padEnd(50_000, 'y') }),
    ],
  },
  calls(
    call('Read', { file_path: 'result.txt' }),
    call('Bash', { command: `echo ${behindPreview('command')}` }),
    call('Bash', { command: `cat error.txt >&2; exit 3` }),
    call('NoSuchTool', { input: marker('unknown-tool') }),
    call('Write', { wrong: marker('bad-input') }),
  ),
  { error: { type: 'overloaded_error', message: behindPreview('api-error') } },
  calls(heldCommand()),
  says(marker('answer')),
];

async function converse(durable: Durable): Promise<readonly HistoryEvent[]> {
  for (const place of ['result', 'error']) {
    writeFileSync(join(durable.project, `${place}.txt`), marker(`tool-${place}`));
  }
  const id = await durable.say(behindPreview('prompt'), {
    isLast: true,
    options: {
      systemPrompt: marker('system'),
      appendSystemPrompt: marker('append'),
      maxThinkingTokens: 2_000,
    },
  });
  await fileIn(durable.project, 'started');
  await durable.steer(id, behindPreview('steering'), { isLast: true });
  writeFileSync(join(durable.project, 'go'), '');
  await durable.resultOf(id);
  await durable.closed(durable.sessionHandle);
  const workflowIds = [durable.sessionWorkflowId, durable.queryHandle(id).workflowId];
  const runs = await Promise.all(workflowIds.map((one) => runsOf(durable.client, one)));
  return eventsOf(runs.flat());
}

test.each([
  ['of one run', 500],
  ['of every run of a chain', 1],
])(
  'history %s holds no message content, and no text longer than a preview',
  (_of, rolloverEvents) =>
    withDurable({ script: SCRIPT, rolloverEvents }, async (durable) => {
      const events = await converse(durable);

      const sent = JSON.stringify(durable.model.requests.map(({ body }) => body));
      const texts = payloadsOf(events).flatMap(textsIn);
      expect(markersIn(sent)).toEqual(
        expect.arrayContaining([
          'prompt',
          'system',
          'write',
          'tool-result',
          'tool-error',
          'steering',
          'command',
        ]),
      );
      expect(plainText(events)).toContain('Write big.txt');
      expect(markersIn(plainText(events))).toEqual([]);
      expect(texts.length).toBeGreaterThan(100);
      expect(texts.filter((one) => one.length > PREVIEW_CHARS)).toEqual([]);
      durable.model.assertConsumed();
    }),
);

function markersIn(of: string): readonly string[] {
  return [...new Set([...of.matchAll(/MARKER-(.*?)-MARKER/g)].map(([, place]) => place ?? ''))];
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [key, ...textsIn(part)]);
}
