// Needs: a Temporal server (started by the run).
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDurable } from '../support/durable';
import { call, calls, fileIn, heldCommand, says } from '../support/replies';

test('a message that waits beside a running query can be taken back; one that was heard cannot', async () => {
  const script = [
    calls(heldCommand()),
    calls(call('Bash', { command: 'touch heard; until [ -e end ]; do sleep 0.02; done' })),
    says('Done.'),
  ];
  await withDurable({ script }, async (durable) => {
    const first = await durable.say('first');
    await fileIn(durable.project, 'started');
    const kept = await durable.steer(first, 'kept');
    const withdrawn = await durable.steer(first, 'withdrawn');

    const isWithdrawn = await durable.agent.withdraw(durable.sessionId, withdrawn);
    writeFileSync(join(durable.project, 'go'), '');
    await fileIn(durable.project, 'heard');
    const isTooLate = await durable.agent.withdraw(durable.sessionId, kept);
    writeFileSync(join(durable.project, 'end'), '');
    await durable.resultOf(first);
    const { waiting } = await durable.idle();

    expect([isWithdrawn, isTooLate, waiting]).toEqual([true, false, []]);
    const last = JSON.stringify(durable.requestMessages.at(-1));
    expect(last).toContain('kept');
    expect(last).not.toContain('withdrawn');
  });
});

test('an unknown message, and one of a session that does not run, are not taken back', async () => {
  await withDurable({ script: [says('Done.')] }, async (durable) => {
    const before = await durable.agent.withdraw(durable.sessionId, randomUUID());
    await durable.ask('first');
    await durable.idle();

    const after = await durable.agent.withdraw(durable.sessionId, randomUUID());

    expect([before, after]).toEqual([false, false]);
  });
});
