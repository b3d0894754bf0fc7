import { MemoryTranscript } from '../../src/in-process';
import type { LoopEvent } from '../../src/loop/events';
import { calls, plainModel, runToEnd, says, textOf, tool, tooLong, use } from './builders';

const NEARLY_FULL = { input_tokens: 170_000 };
const SUMMARY = says('<analysis>hm</analysis><summary>We said hello.</summary>');
const COMPLETED = { reason: 'completed', detail: 'end_turn' };

/** A conversation whose next request would be over the mark. */
async function fullTranscript(): Promise<MemoryTranscript> {
  const transcript = new MemoryTranscript();
  const model = plainModel(says('an old answer', NEARLY_FULL));
  await runToEnd({ ...model, prompt: 'an old question', model: 'm', transcript });
  return transcript;
}

const compactionsIn = (events: readonly LoopEvent[]) =>
  events.flatMap((event) =>
    event.type === 'compaction' ? [`${event.trigger} ${event.outcome.type}`] : [],
  );

test('a conversation that is nearly full is summarised before the next request', async () => {
  const transcript = await fullTranscript();
  const model = plainModel(SUMMARY, says('a new answer'));

  const { events, terminal } = await runToEnd({
    ...model,
    prompt: 'a new question',
    model: 'm',
    system: ['Be brief.'],
    tools: [tool('Say')],
    transcript,
  });

  expect(terminal).toEqual(COMPLETED);
  expect(compactionsIn(events)).toEqual(['auto compacted']);
  const [asked, next] = model.requests;
  expect(asked).toMatchObject({ system: next?.system, tools: next?.tools });
  expect(textOf(asked)).toContain('an old answer');
  expect(textOf(next)).toContain('We said hello.');
  expect(textOf(next)).not.toMatch(/an old answer|analysis|transcript:/);
});

test('the transcript keeps the boundary, and the next run begins behind it', async () => {
  const transcript = await fullTranscript();
  const model = plainModel(SUMMARY, says('a new answer'));
  await runToEnd({ ...model, prompt: 'a new question', model: 'm', transcript });
  const later = plainModel(says('the last answer'));

  await runToEnd({ ...later, prompt: 'the last question', model: 'm', transcript });

  expect(transcript.chain()[0]).toMatchObject({ type: 'system', subtype: 'compact_boundary' });
  expect(textOf(later.requests[0])).toMatch(/We said hello.*a new answer.*the last question/);
  expect(transcript.autoCompactTracking).toMatchObject({ compacted: true, turnCounter: 1 });
});

test('three runs whose summaries fail open the breaker for the conversation', async () => {
  const transcript = await fullTranscript();
  for (const run of [1, 2, 3]) {
    const model = plainModel(new Error('no'), says(`answer ${run}`, NEARLY_FULL));
    const { events } = await runToEnd({ ...model, prompt: 'go', model: 'm', transcript });
    expect(compactionsIn(events)).toEqual(['auto failed']);
  }
  const model = plainModel(says('answer 4'));

  const { events, terminal } = await runToEnd({ ...model, prompt: 'go', model: 'm', transcript });

  expect(terminal).toEqual(COMPLETED);
  expect(compactionsIn(events)).toEqual([]);
});

test('a prompt that the API finds too long is summarised once, its newest round kept', async () => {
  const rounds = [calls(use('Say')), calls(use('Say'))];
  const model = plainModel(...rounds, tooLong(), SUMMARY, says('done'));

  const { events, terminal } = await runToEnd({
    ...model,
    prompt: 'go',
    model: 'm',
    tools: [tool('Say')],
  });

  expect(terminal).toEqual(COMPLETED);
  expect(compactionsIn(events)).toEqual(['reactive compacted']);
  expect(model.requests.at(-1)?.messages).toMatchObject([
    { role: 'user', content: [{ text: expect.stringContaining('We said hello.') as string }] },
    { role: 'assistant', content: [{ type: 'tool_use' }] },
    { role: 'user', content: [{ type: 'tool_result', content: 'Say is done' }] },
  ]);
});

test('a summary request that is too long itself goes out again without the oldest rounds', async () => {
  const rounds = [calls(use('Say')), calls(use('Say')), calls(use('Say'))];
  const model = plainModel(...rounds, tooLong(), tooLong(), SUMMARY, says('done'));

  const { terminal } = await runToEnd({ ...model, prompt: 'go', model: 'm', tools: [tool('Say')] });

  expect(terminal).toEqual(COMPLETED);
  const [whole, shorter] = model.requests.slice(4);
  expect(textOf(shorter).length).toBeLessThan(textOf(whole).length);
});

test('a single round cannot be made smaller: the error is the end', async () => {
  const transcript = new MemoryTranscript();

  const { events, terminal } = await runToEnd({
    ...plainModel(tooLong()),
    prompt: 'go',
    model: 'm',
    transcript,
  });

  expect(terminal).toEqual({ reason: 'prompt_too_long' });
  expect(compactionsIn(events)).toEqual(['reactive refused']);
  expect(transcript.chain().at(-1)).toMatchObject({ isApiErrorMessage: true });
});

test('without compaction a context that is full is not sent', async () => {
  const transcript = await fullTranscript();
  const model = plainModel();
  const gates = { autocompact: false, reactiveCompact: false };

  const { terminal } = await runToEnd({
    ...model,
    prompt: 'go',
    model: 'm',
    transcript,
    gates,
    contextWindow: 150_000,
  });

  expect(terminal).toEqual({ reason: 'blocking_limit' });
  expect(model.requests).toEqual([]);
});

test('collapses that are staged shorten a prompt that is too long, before any summary', async () => {
  const long = tool('Read', {
    call: () => Promise.resolve({ content: 'x'.repeat(4_000), structured: null }),
  });
  // Enough rounds for one span besides those that stay, and full enough to stage it.
  const rounds = Array.from({ length: 20 }, () => ({
    ...calls(use('Read')),
    usage: { input_tokens: 150_000 },
  }));
  const model = plainModel(...rounds, tooLong(), says('done'));

  const { events, terminal } = await runToEnd({
    ...model,
    prompt: 'go',
    model: 'm',
    tools: [long],
    gates: { contextCollapse: true },
  });

  const reasons = events.flatMap((event) =>
    event.type === 'transition' ? [event.state.transition?.reason] : [],
  );
  const [refused, drained] = model.requests.slice(-2);
  expect(terminal).toEqual(COMPLETED);
  expect(reasons.at(-1)).toBe('collapse_drain_retry');
  expect(textOf(drained).length).toBeLessThan(textOf(refused).length);
  expect(compactionsIn(events)).toEqual([]);
});
