import { Writable } from 'node:stream';
import { OutputStream } from '../../../src/cli/output/output-stream';

test('a writer waits for a slow reader', async () => {
  let accept: () => void = () => undefined;
  const slow = new Writable({ write: (_chunk, _encoding, written) => void (accept = written) });
  const output = new OutputStream(slow);
  let isWritten = false;

  const writing = output.write('text').then(() => (isWritten = true));
  await new Promise(setImmediate);
  const before = isWritten;
  accept();
  await writing;

  expect(before).toBe(false);
  expect(isWritten).toBe(true);
});

test('a reader that has gone away stops nobody, and is noted', async () => {
  const broken = new Writable({
    write: (_chunk, _encoding, written) =>
      written(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  });
  const output = new OutputStream(broken);

  await output.write('one');
  await output.write('two');

  expect(output.failure?.message).toBe('write EPIPE');
  expect((await output.failed).message).toBe('write EPIPE');
});
