// Needs: a Temporal server (started by the run).
import { composeActivities } from '../../../src/worker-activities';
import { withDurable } from '../../support/durable';
import { says } from '../../support/replies';

test('a Worker whose code could not be loaded tries again for the next attempt', () =>
  withDurable({ script: [says('Here.')], isServed: false }, async (durable) => {
    let loads = 0;
    await durable.serve({
      compose: (...parts) => {
        loads += 1;
        if (loads === 1) throw new Error("Cannot find module './call-model'");
        return composeActivities(...parts);
      },
    });

    const { result } = await durable.ask('Are you there?');

    expect(result).toBe('Here.');
    expect(loads).toBe(2);
  }));
