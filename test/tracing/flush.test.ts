import { sendSpans } from '../../src/tracing/tracing';
import { OtlpReceiver } from './otlp-receiver';

test('a process that leaves waits for the spans that are on their way', async () => {
  const receiver = await OtlpReceiver.start();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  // Each is sent as it ends.
  process.env['OTEL_BSP_MAX_EXPORT_BATCH_SIZE'] = '1';
  const spans = sendSpans('0.0.0');

  spans.begin({ name: 'work', kind: 'internal', parent: null, attributes: {} }).end();
  await new Promise((resolve) => setImmediate(resolve));
  await spans.flush();

  expect(receiver.spans.map(({ name }) => name)).toEqual(['work']);
  await receiver.close();
  delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  delete process.env['OTEL_BSP_MAX_EXPORT_BATCH_SIZE'];
});
