import { fromTraceparent, queryTrace, toTraceparent } from '../../src/tracing/trace-context';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('a traceparent is read and written as it was', () => {
  const context = fromTraceparent(TRACEPARENT);

  expect(context).toEqual({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    isSampled: true,
  });
  expect(toTraceparent(context!)).toBe(TRACEPARENT);
});

test.each([
  null,
  '',
  'nonsense',
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
])('%j is no traceparent', (text) => {
  expect(fromTraceparent(text)).toBeNull();
});

test('everybody who works for a query comes to the same ids, and another query has others', () => {
  const [once, again] = [queryTrace('place-a-b', undefined), queryTrace('place-a-b', undefined)];

  expect(again).toEqual(once);
  expect(queryTrace('place-a-c', undefined).query.spanId).not.toBe(once.query.spanId);
  expect(queryTrace('place-a-c', undefined).query.traceId).not.toBe(once.query.traceId);
});

test('a query is part of the trace that its message names, and is told only if that one is', () => {
  const { query, parent } = queryTrace('place-a-b', TRACEPARENT.replace(/01$/, '00'));

  expect(query).toMatchObject({ traceId: parent?.traceId, isSampled: false });
});
