import { Writable } from 'node:stream';
import type { PrintCommand } from '../../../src/cli/command';
import { OutputStream } from '../../../src/cli/output/output-stream';
import { parseCommand } from '../../../src/cli/parse-command';
import { print } from '../../../src/cli/print';
import { answers, FakeSession } from '../../support/fake-session';
import { FakeSurroundings, RUN_OPTIONS } from '../../support/fake-surroundings';

const REQUESTS = 5_000;

test('a client that asks on and on without reading is not answered into memory', async () => {
  const world = new FakeSurroundings();
  const session = new FakeSession(answers(() => 'never asked'));
  let take: () => void = () => undefined;
  let taken = 0;
  const slow = new Writable({
    write: (_chunk, _encoding, written) => {
      take = () => {
        taken += 1;
        written();
      };
    },
  });
  const command = parseCommand(
    ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
    '1.2.3',
  ) as PrintCommand;
  const exit = print(command, {
    ...world.of({ stdout: new OutputStream(slow) }),
    openSession: async () => session,
    run: RUN_OPTIONS,
  });

  for (let each = 0; each < REQUESTS; each += 1) {
    world.control(`request-${each}`, { subtype: 'mcp_status' });
  }
  world.stdin.end();
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
  const waiting = slow.writableLength;
  while (taken < REQUESTS) {
    take();
    await new Promise(setImmediate);
  }

  expect(waiting).toBeLessThan(30_000);
  expect(await exit).toBe(0);
});
