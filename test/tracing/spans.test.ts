// Needs: a Temporal server (started by the run).
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { TracedAgentClient } from '../../src/client/traced-agent-client';
import { flushSpans, spansOf } from '../../src/tracing/spans';
import { sendSpans } from '../../src/tracing/tracing';
import { RUN_OPTIONS } from '../support/fake-surroundings';
import { startDurable, type Durable } from '../support/durable';
import { call, calls, says } from '../support/replies';
import { OtlpReceiver, type ReceivedSpan } from './otlp-receiver';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const MESSAGE = '11111111-2222-4333-8444-555555555555';

let receiver: OtlpReceiver;
let durable: Durable;
let spans: readonly ReceivedSpan[];

beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  // Modules cannot be loaded later here.
  void spansOf('0.0.0', sendSpans);
  const script = [
    calls(call('Bash', { command: 'echo secret-output' })),
    calls(call('Bash', { command: 'false' })),
    says('A secret answer.'),
  ];
  durable = await startDurable({ script, env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
  const { client, store, session } = durable;
  const limits = { idleMs: 60_000, rolloverEvents: 500, maxToolConcurrency: 10 };
  const traces = { spans: spansOf('0.0.0'), traceparent: `00-${TRACE}-${CALLER}-01` };
  const agent = new TracedAgentClient(client, store.place, limits, traces);
  const message = {
    id: MESSAGE,
    content: 'A secret prompt.',
    submittedAt: new Date().toISOString(),
    options: { ...RUN_OPTIONS, permissionMode: 'bypassPermissions' as const },
  };
  await agent.submit(session, message, { isLast: true });
  await durable.resultOf(MESSAGE);
  await durable.closed(durable.queryHandle(MESSAGE));
  await flushSpans();
  spans = receiver.spans;
});
afterAll(async () => {
  await durable.close();
  await receiver.close();
  delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
});

const named = (name: string): readonly ReceivedSpan[] =>
  spans.filter((span) => span.name.startsWith(name));

test('client, Workflow and Activities tell one trace, which goes on with the trace of the caller', () => {
  const [submitted] = named('submit message');
  const [query] = named('invoke_agent everloop');

  expect(spans.every(({ traceId }) => traceId === TRACE)).toBe(true);
  expect(submitted?.parentSpanId).toBe(CALLER);
  expect(query?.parentSpanId).toBe(submitted?.spanId);
  expect(named('chat').map(({ parentSpanId }) => parentSpanId)).toEqual(
    [1, 2, 3].map(() => query?.spanId),
  );
  expect(named('execute_tool Bash').map(({ parentSpanId }) => parentSpanId)).toEqual(
    [1, 2].map(() => query?.spanId),
  );
});

test('a model call tells model, tokens and the reason of its end', () => {
  const [first] = named('chat');
  const usage = durable.model.requests[0]?.usage;

  expect(first?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.system': 'anthropic',
    'gen_ai.request.model': RUN_OPTIONS.model,
    'gen_ai.usage.output_tokens': usage?.output_tokens,
    'gen_ai.response.finish_reasons': ['tool_use'],
    'gen_ai.conversation.id': durable.sessionId,
  });
});

test('a tool that failed is an error of its kind, and the query that went on is none', () => {
  const [worked, failed] = named('execute_tool Bash');

  expect(worked?.attributes['error.type']).toBeUndefined();
  expect(failed?.attributes['error.type']).toBe('tool_error');
  expect(named('invoke_agent')[0]?.attributes).toMatchObject({ 'everloop.terminal': 'completed' });
});

test('no span holds what anybody said', () => {
  expect(receiver.bodies.join('\n')).not.toContain('secret');
});

test('each gen_ai attribute is one of the semantic conventions', () => {
  const known = new Set<unknown>(Object.values(conventions));
  const ours = spans.flatMap(({ attributes }) => Object.keys(attributes));

  expect(ours.filter((name) => name.startsWith('gen_ai.') && !known.has(name))).toEqual([]);
});

test('spans leave no trace in Event History', async () => {
  const history = await durable.queryHandle(MESSAGE).fetchHistory();

  expect(JSON.stringify(history)).not.toContain(TRACE);
});
