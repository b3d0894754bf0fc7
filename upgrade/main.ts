import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nextBuild, thisBuild, type Build } from './builds';
import { DEPLOYMENT, drained, everPinned, makeCurrent } from './deployment';
import { HostWorker } from './host';
import { HOSTS, play, type Played, type Upgrade } from './play';
import { toText, type Figures } from './report';
import { situationsNamed } from './situations';
import { verdicts } from './verdict';
import { openWorld, type World } from './world';

const USAGE = `Usage: npm run rolling-upgrade -- [--copies N] [--states NAME,…] [--json FILE]
N sessions (3) of every state, or of those named, are upgraded twice: without versions, and with a Worker Deployment.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      copies: { type: 'string', default: '3' },
      states: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const copies = Number(values.copies);
  if (!Number.isInteger(copies) || copies < 1) {
    throw new Error(`--copies takes a whole number above 0, not "${values.copies}".\n${USAGE}`);
  }
  const situations = situationsNamed(values.states?.split(','));
  const begunAtMs = performance.now();
  const world = await openWorld();
  const show = new Show(world, { copies, situations });
  try {
    const figures: Figures[] = [];
    const undisturbed = await show.undisturbed();
    figures.push(await show.withoutVersions(undisturbed));
    figures.push(await show.withDeployment(undisturbed));
    const report = { tookMs: performance.now() - begunAtMs, ways: figures };
    if (values.json !== undefined)
      writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
    process.stdout.write(toText(report));
    process.exitCode = figures.every(({ states }) => states.every((one) => one.faults.length === 0))
      ? 0
      : 1;
  } catch (error) {
    for (const refusal of world.model.status().failures) process.stderr.write(`${refusal}\n`);
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 2;
  } finally {
    show.close();
    await world.close();
  }
  // Of a show that failed, other sessions still wait for what will not come.
  process.exit();
}

class Show {
  readonly #workers = new Set<HostWorker>();
  #serving: HostWorker[] = [];

  constructor(
    private readonly world: World,
    private readonly of: Pick<Upgrade, 'copies' | 'situations'>,
  ) {}

  /** What every session does when nothing happens to its Workers. They stay. */
  async undisturbed(): Promise<readonly Played[]> {
    this.#tell('undisturbed: one session of every state');
    this.#serving = await this.#startAll(thisBuild);
    return play(this.world, { ...this.of, name: 'rehearsal', copies: 1, replace: null });
  }

  /** One Worker after the other ends and is replaced on its host. */
  async withoutVersions(undisturbed: readonly Played[]): Promise<Figures> {
    this.#tell('without versions');
    const build = await this.#nextBuild('guarded');
    const goneMs: number[] = [];
    const replacedMs: number[] = [];
    const played = await play(this.world, {
      name: 'plain',
      ...this.of,
      replace: async () => {
        for (const [index, host] of HOSTS.entries()) {
          const begunAtMs = performance.now();
          goneMs.push((await this.#serving[index]?.end()) ?? 0);
          this.#serving[index] = await this.#start({ host, build });
          replacedMs.push(performance.now() - begunAtMs);
        }
      },
    });
    await this.#endAll(this.#serving);
    return {
      way: 'without versions',
      goneMs,
      replacedMs,
      pinned: null,
      states: verdicts(undisturbed, played),
    };
  }

  /** The next build is started beside the old one and made current; the old one ends when nothing is pinned to it. */
  async withDeployment(undisturbed: readonly Played[]): Promise<Figures> {
    this.#tell('with a Worker Deployment');
    const build = await this.#nextBuild('unguarded');
    const [idA, idB] = ['build-a', 'build-b'];
    const old = await this.#startAll(thisBuild, idA);
    await makeCurrent(this.world, idA);
    const goneMs: number[] = [];
    let pinned = 0;
    let next: readonly HostWorker[] = [];
    const played = await play(this.world, {
      name: 'deployed',
      ...this.of,
      nextBuildId: () => idB,
      replace: async () => {
        pinned = await everPinned(this.world, idA);
        next = await this.#startAll(build, idB);
        await makeCurrent(this.world, idB);
      },
      settle: async () => {
        await drained(this.world, idA);
        for (const worker of old) goneMs.push(await worker.end());
      },
    });
    await this.#endAll(next);
    return {
      way: 'with a Worker Deployment',
      goneMs,
      replacedMs: [],
      pinned,
      states: verdicts(undisturbed, played),
    };
  }

  /** Whatever still runs. */
  close(): void {
    for (const worker of this.#workers) worker.kill();
  }

  async #startAll(build: Build, buildId?: string): Promise<HostWorker[]> {
    const more = buildId && { EVERLOOP_DEPLOYMENT: DEPLOYMENT, EVERLOOP_BUILD_ID: buildId };
    const workers: HostWorker[] = [];
    for (const host of HOSTS)
      workers.push(await this.#start({ host, build, ...(more && { more }) }));
    return workers;
  }

  async #start(options: Parameters<typeof HostWorker.start>[1]): Promise<HostWorker> {
    const worker = await HostWorker.start(this.world, options);
    this.#workers.add(worker);
    return worker;
  }

  async #endAll(workers: readonly HostWorker[]): Promise<void> {
    await Promise.all(workers.map((worker) => worker.end()));
  }

  async #nextBuild(change: Parameters<typeof nextBuild>[1]): Promise<Build> {
    const folder = join(this.world.root, `next-${change}`);
    mkdirSync(folder);
    return nextBuild(folder, change);
  }

  #tell(what: string): void {
    process.stderr.write(`rolling upgrade: ${what}\n`);
  }
}

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 2;
});
