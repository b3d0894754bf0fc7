import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import {
  parseOptions,
  SECTIONS,
  USAGE,
  type BenchOptions,
  type SectionName,
  type Size,
} from './options';
import { openStatusLine } from '../progress/status-line';
import { WorkProgress } from '../progress/work-progress';
import { expectedSeconds } from './expected-time';
import { toPlots } from './render/plots';
import { toMarkdown, toText } from './render/report-table';
import { isReached, type Machine, type Measured, type Report, type Section } from './report';
import { startRig, type Rig } from './rig';
import { measureAdoption } from './sections/adopt';
import { measureCompaction } from './sections/compaction';
import { measureCounters } from './sections/counters';
import { measureDisk } from './sections/disk';
import { measureHeadless } from './sections/headless';
import { measureKill } from './sections/kill';
import { measureMessages } from './sections/messages';
import { measureOverlap } from './sections/overlap';
import { measurePrefix } from './sections/prefix';
import { measureStart } from './sections/start';
import { measureStop } from './sections/stop';
import { measureTurns } from './sections/turns';
import { measureWake } from './sections/wake';

interface Part {
  readonly title: string;
  readonly measure: (rig: Rig, size: Size) => Promise<Measured>;
}

const PARTS: Readonly<Record<SectionName, Part>> = {
  turns: { title: 'One-tool turns', measure: measureTurns },
  messages: { title: 'Messages to one session', measure: measureMessages },
  start: { title: 'Start of a command', measure: measureStart },
  kill: { title: 'SIGKILL to the next request', measure: measureKill },
  adopt: { title: 'SIGKILL while a second Worker lives', measure: measureAdoption },
  stop: { title: 'Stop of a running query', measure: measureStop },
  wake: { title: 'Cold wake-up of a long session', measure: measureWake },
  disk: { title: 'Disk', measure: measureDisk },
  prefix: { title: 'What the prompt cache can serve', measure: measurePrefix },
  compaction: { title: 'Many turns, many compactions', measure: measureCompaction },
  overlap: { title: 'Tools that start while the reply streams', measure: measureOverlap },
  counters: { title: 'What a query counts', measure: measureCounters },
  headless: { title: 'The command as a program drives it', measure: measureHeadless },
};

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  const line = await openStatusLine(process.stderr, process.env);
  const progress = new WorkProgress(line, {
    title: 'bench:',
    unit: null,
    failure: 'goals not reached',
  });
  const startedAt = new Date().toISOString();
  const rig = await startRig(process.env, (text) => progress.doing(text));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void rig.close().finally(() => process.exit(1)));
  }
  const sections: Section[] = [];
  try {
    const names = SECTIONS.filter((each) => options.only.includes(each));
    const seconds = names.map((name) => expectedSeconds(name, options.size));
    progress.begin(seconds.reduce((sum, each) => sum + each, 0));
    let done = 0;
    for (const [index, name] of names.entries()) {
      progress.doing(`${index + 1} of ${names.length}: ${name} ...`);
      const section = await measure(name, rig, options.size);
      sections.push(section);
      for (const figure of section.figures) if (isReached(figure) === false) progress.failed();
      done += seconds[index] ?? 0;
      progress.at(done);
      // A run takes long; what it has found so far must not be lost with it.
      write({ schema: 1, startedAt, machine: machineOf(rig), sections }, options);
    }
  } finally {
    progress.end();
    await rig.close();
  }
  const report: Report = { schema: 1, startedAt, machine: machineOf(rig), sections };
  process.stdout.write(options.isMarkdown ? toMarkdown(report) : toText(report));
}

async function measure(name: SectionName, rig: Rig, size: Size): Promise<Section> {
  const { title, measure: run } = PARTS[name];
  const [before = 0] = loadavg();
  const measured = await run(rig, size);
  const [after = 0] = loadavg();
  // What cannot be seen from here: the CPU time of a server elsewhere.
  const figures = measured.figures.filter(({ median }) => !Number.isNaN(median));
  return { name, title, load: { before, after }, ...measured, figures };
}

function write(report: Report, { json, out }: BenchOptions): void {
  if (json !== null) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  if (out === null) return;
  mkdirSync(out, { recursive: true });
  for (const { file, svg } of toPlots(report)) writeFileSync(join(out, file), svg);
}

function machineOf(rig: Rig): Machine {
  const all = cpus();
  return {
    cores: all.length,
    cpu: all[0]?.model ?? 'unknown processor',
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    temporalCli: rig.cliVersion,
  };
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
    process.exit(1);
  },
);
