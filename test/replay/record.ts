import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { stopServer } from '../../src/server/local-server';
import { startDurable } from '../support/durable';
import { runsOf } from '../support/histories';
import { SCENARIOS } from './scenarios';

/** The one path that recorded histories may hold. */
const PROJECT = '/tmp/everloop-project';

/** Plays every scenario on a server of its own and writes what came of it to `histories/<version>/`. For releases:
 *  recorded histories stay, since runs of that version may still be open somewhere.
 *  Usage: node --require tsx/cjs test/replay/record.ts */
async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'everloop-record-'));
  process.env['EVERLOOP_TEST_SERVER_HOME'] = home;
  const folder = join(__dirname, 'histories', version());
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    for (const [name, scenario] of Object.entries(SCENARIOS)) {
      await record(folder, name, scenario);
    }
  } finally {
    await stopServer(home);
    rmSync(home, { recursive: true });
    rmSync(PROJECT, { recursive: true, force: true });
  }
}

async function record(
  folder: string,
  name: string,
  scenario: (typeof SCENARIOS)[string],
): Promise<void> {
  rmSync(PROJECT, { recursive: true, force: true });
  mkdirSync(PROJECT);
  const durable = await startDurable({ ...scenario.options, project: PROJECT });
  try {
    const messageIds = await scenario.play(durable);
    const { client, sessionWorkflowId } = durable;
    const queryIds = messageIds.map((id) => durable.queryHandle(id).workflowId);
    for (const [type, ids] of [
      ['session', [sessionWorkflowId]],
      ['query', queryIds],
    ] as const) {
      const runs = (await Promise.all(ids.map((id) => runsOf(client, id)))).flat();
      for (const [index, { workflowId, history }] of runs.entries()) {
        const number = runs.length === 1 ? '' : `-${index + 1}`;
        write(join(folder, `${name}.${type}${number}.json`), workflowId, historyToJSON(history));
      }
    }
  } finally {
    await durable.close();
  }
}

/** One event a line. Who it was on which machine is nobody's concern. */
function write(file: string, workflowId: string, history: string): void {
  const { events } = JSON.parse(history, (key, value: unknown) =>
    key === 'identity' ? 'everloop' : value,
  ) as { readonly events: readonly unknown[] };
  const lines = events.map((event) => JSON.stringify(event));
  writeFileSync(
    file,
    `{"workflowId":"${workflowId}","history":{"events":[\n${lines.join(',\n')}\n]}}\n`,
  );
}

function version(): string {
  const file = join(__dirname, '..', '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
