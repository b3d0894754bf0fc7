import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { startRig, type Rig } from '../src/bench/rig';
import { openField } from './entrants/all';
import type { Entrant } from './entrants/entrant';
import { measureKill } from './measure-kill';
import { measureTurns } from './measure-turns';
import type { Failure, KillMeasured, PeersReport, TurnsMeasured } from './measured';
import { parseOptions, USAGE, type Options } from './options';
import { toPlots } from './render/plots';
import { toMarkdown } from './render/tables';

/** everloop beside others that run agents durably: the same turns, the same model, the same machine. */
async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  const rig = await startRig(process.env, (line) => process.stderr.write(`${line}\n`));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void rig.close().finally(() => process.exit(1)));
  }
  try {
    process.stdout.write(toMarkdown(await measure(rig, options)));
  } finally {
    await rig.close();
  }
}

async function measure(rig: Rig, options: Options): Promise<PeersReport> {
  // What the empty loop sends: as much as the entrant before it has sent in a run of the same length.
  let lastBodies: readonly number[] = [];
  const field = await openField(rig, options.only, () => lastBodies);
  const [cpu] = cpus();
  const [before = 0] = loadavg();
  const turns: TurnsMeasured[] = [];
  const kills: KillMeasured[] = [];
  const failures: Failure[] = [];
  const report = (): PeersReport => ({
    schema: 1,
    startedAt: new Date().toISOString(),
    machine: `${cpus().length} × ${cpu?.model ?? 'unknown processor'}`,
    node: process.versions.node,
    temporalCli: rig.cliVersion,
    load: { before, after: loadavg()[0] ?? 0 },
    versions: field.entrants.map(({ name, versions }) => ({ entrant: name, versions })),
    turns,
    kills,
    failures,
  });
  // A run takes long: what it has found must not be lost with one entrant, or with its own end.
  const attempt = async (
    entrant: Entrant,
    part: string,
    act: () => Promise<void>,
  ): Promise<void> => {
    rig.log(`${entrant.name}: ${part}`);
    await act().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      rig.log(reason);
      failures.push({ entrant: entrant.name, part, error: reason });
    });
    write(report(), options);
  };
  try {
    for (const count of options.turns) {
      for (const entrant of field.entrants.filter((each) => isTakenTo(count, each))) {
        await attempt(entrant, `${count} turns`, async () => {
          turns.push(await measureTurns(rig, entrant, count));
          lastBodies = rig.model.arrivals.map(({ bodyBytes }) => bodyBytes);
        });
      }
    }
    for (const entrant of field.entrants.filter((each) => options.kills && each.hasTools)) {
      await attempt(entrant, 'killed in a tool', async () => {
        kills.push(await measureKill(rig, entrant));
      });
    }
    return report();
  } finally {
    await field.close();
  }
}

const isTakenTo = (turns: number, { mostTurns }: Entrant): boolean =>
  mostTurns === null || turns <= mostTurns;

function write(report: PeersReport, { json, out }: Options): void {
  if (json !== null) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  if (out === null || report.turns.length === 0) return;
  mkdirSync(out, { recursive: true });
  for (const { file, svg } of toPlots(report)) writeFileSync(join(out, file), svg);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
    process.exit(1);
  },
);
