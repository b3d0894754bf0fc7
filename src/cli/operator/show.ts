import { CliError } from '../cli-error';
import type { Layout } from '../output/layout';
import type { Operator } from './operator';
import type { ShowCommand } from './reading-commands';
import { commandsFor, reportText } from './report-text';
import { reportOf } from './session-report';

/** `layout`: of the terminal that somebody looks at; null: there is none.
 *  Fails: CliError when the selector names no session, or several. */
export async function show(
  { session, json }: ShowCommand,
  operator: Operator,
  layout: Layout | null = null,
): Promise<number> {
  const { sessionId } = await operator.session(session);
  const store = await operator.host.store.openSession(sessionId);
  if (store === undefined) throw new CliError(`Session ${sessionId} was deleted meanwhile.`);
  const report = await reportOf(store, operator);
  const shown = json
    ? `${JSON.stringify({ ...report, commands: commandsFor(report) })}\n`
    : reportText(report, layout);
  await operator.stdout.write(shown);
  return 0;
}
