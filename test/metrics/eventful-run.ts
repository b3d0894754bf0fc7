import type { ScriptedRequest } from '../../src/scripted-model/scripted-request';
import type { Reply } from '../../src/scripted-model/reply';
import { call, calls, fileIn, says, text } from '../support/replies';
import { until, type MeteredWorker } from './metered-worker';

/** What the model says, by the word that the prompt begins with. */
const STORIES: Readonly<Record<string, readonly Reply[]>> = {
  tools: [
    { error: { type: 'overloaded_error' } },
    {
      content: [call('Glob', { pattern: '*' }), text('Meanwhile I think about it.')],
      interruptions: [{ type: 'stall', ms: 1_500, afterBlocks: 2 }],
    },
    calls(call('Bash', { command: 'false' })),
    calls(call('MadeUp', {})),
    says('Done.'),
  ],
  long: [{ content: [text('It goes on and')], stop_reason: 'max_tokens' }, says('on.')],
  stop: [calls(call('Bash', { command: 'touch started; sleep 600' })), says('Never said.')],
  ask: [calls(call('Bash', { command: 'touch asked' })), says('Never said.')],
};

/** Replies to each session as its prompt wants it; a request for a summary gets one. */
export function storyteller(): (request: ScriptedRequest) => Reply {
  const told = new Map<string, number>();
  return ({ body }) => {
    const said = JSON.stringify(body.messages);
    const story = Object.keys(STORIES).find((name) => said.includes(`story ${name} `)) ?? '';
    const index = told.get(story) ?? 0;
    told.set(story, index + 1);
    return STORIES[story]?.[index] ?? says('A summary.');
  };
}

/** Everything that there is a figure for happens at least once. Resolves when all of it has been counted. */
export async function eventfulRun(worker: MeteredWorker): Promise<void> {
  const bypass = '--dangerously-skip-permissions';
  const session = await worker.everloop('run', '--detach', 'story tools please', bypass);
  await ended(worker, 1);
  await worker.everloop('run', '--detach', '/compact', bypass, '--resume', session);
  await ended(worker, 2);
  await worker.everloop('run', '--detach', 'story long please', bypass);
  await ended(worker, 3);
  const stopped = await worker.everloop('run', '--detach', 'story stop please', bypass);
  await fileIn(worker.project, 'started');
  await worker.everloop('stop', stopped);
  await ended(worker, 4);
  const people = ['--permission-prompt-tool', 'people'];
  const asking = await worker.everloop('run', '--detach', 'story ask please', ...people);
  await until(async () => WAITS.test(await worker.scrape()));
  await worker.everloop('stop', asking);
  await ended(worker, 5);
}

const WAITS = /^everloop_queries_waiting\{kind="approval"\} 1$/m;

const ended = (worker: MeteredWorker, queries: number): Promise<void> =>
  until(async () => {
    const counts = [...(await worker.scrape()).matchAll(/^everloop_queries_total\{.*\} (\d+)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0) >= queries;
  });
