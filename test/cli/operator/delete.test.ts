// Needs: a Temporal server (started by the run).
import { existsSync } from 'node:fs';
import { listSessions } from '../../../src/cli/session-states';
import { deleteSessions } from '../../../src/cli/operator/delete';
import type { DeleteCommand } from '../../../src/cli/operator/delete-command';
import type { Operator } from '../../../src/cli/operator/operator';
import { withDurable, type Durable } from '../../support/durable';
import { hostOf, operate, parsedAs } from '../../support/operator-world';
import { calls, fileIn, heldCommand, says } from '../../support/replies';

const deletion = (...args: readonly string[]): DeleteCommand =>
  parsedAs('delete', 'delete', ...args);

const unasked = (command: DeleteCommand, operator: Operator): Promise<number> =>
  deleteSessions(command, operator, null);

/** Runs that the server was told to delete; it does so within half a minute of their end. */
function toldServer({ client }: Durable): () => readonly string[] {
  const told = jest.spyOn(client.workflowService, 'deleteWorkflowExecution');
  return () =>
    told.mock.calls.map(([request]) => {
      const { workflowExecution } = request as { workflowExecution: { workflowId: string } };
      return workflowExecution.workflowId;
    });
}

test('a session that has ended goes everywhere, when that is wanted', () =>
  withDurable({ script: [says('Hello.')], idleMs: 0 }, async (durable) => {
    const id = await durable.say('Hi', { isLast: true });
    await durable.resultOf(id);
    await durable.closed(durable.sessionHandle);
    await durable.stopServing();
    const { sessionId, session, sessionWorkflowId } = durable;
    const told = toldServer(durable);
    const prefix = sessionId.slice(0, 12);
    const runs = `WorkflowId STARTS_WITH "${sessionWorkflowId}"`;
    // The server's index is a moment behind.
    while ((await durable.client.workflow.count(runs)).count < 2);

    const shown = await operate(durable, deletion(prefix), unasked);
    const isLeft = existsSync(session.transcriptPath);
    const done = await operate(durable, deletion(prefix, '--yes', '--json'), unasked);

    expect(shown.text).toMatch(/transcript .*kB.*runs at the server[^]*Nothing was deleted.*--yes/);
    expect(isLeft).toBe(true);
    expect(JSON.parse(done.text)).toMatchObject({ sessionId, deleted: true, runs: 2 });
    expect(existsSync(session.transcriptPath)).toBe(false);
    expect([...told()].sort()).toEqual([sessionWorkflowId, `${sessionWorkflowId}-${id}`]);
    expect(await listSessions(hostOf(durable))).toEqual([]);
    await expect(durable.store.openSession(sessionId)).resolves.toBeUndefined();
  }));

test('one that works is refused; with --force it is stopped first, and a cut deletion is finished', () =>
  withDurable({ script: [calls(heldCommand()), says('Done.')] }, async (durable) => {
    await durable.say('Work.');
    await fileIn(durable.project, 'started');
    const { sessionId, session } = durable;

    const refused = operate(durable, deletion(sessionId, '--yes'), unasked);
    await expect(refused).rejects.toThrow(/is at work.*everloop stop.*--force/);
    expect(await durable.session.lastLeaf()).not.toBeNull();

    const cut = jest.spyOn(session, 'delete').mockRejectedValueOnce(new Error('It died.'));
    const first = operate(durable, deletion(sessionId, '--yes', '--force'), unasked);
    await expect(first).rejects.toThrow('It died.');
    cut.mockRestore();
    await durable.stopServing();
    await operate(durable, deletion(sessionId, '--yes'), unasked);

    expect(await durable.store.listSessions()).toEqual([]);
    expect(await durable.closed(durable.sessionHandle)).not.toBe('RUNNING');
    expect(existsSync(session.transcriptPath)).toBe(false);
  }));
