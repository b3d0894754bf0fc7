// Needs: a Temporal server (started by the run), and the built program; Prometheus, where it is installed.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import parse from 'parse-prometheus-text-format';
import { panelQueries } from './dashboard';
import { eventfulRun, storyteller } from './eventful-run';
import { freePort } from '../support/free-port';
import { kill } from '../support/kill';
import { MeteredWorker, until } from './metered-worker';

let worker: MeteredWorker;
let scraped: string;
let prometheus: Prometheus | null = null;

const isInstalled = spawnSync('prometheus', ['--version']).status === 0;
const withPrometheus = isInstalled ? test : test.skip;

beforeAll(async () => {
  worker = await MeteredWorker.start(storyteller());
  // Rates need figures from before it happened.
  if (isInstalled) prometheus = await Prometheus.start(worker.metricsPort);
  await eventfulRun(worker);
  scraped = await worker.scrape();
}, 300_000);
afterAll(async () => {
  await prometheus?.close();
  await worker.close();
});

/** Sum over the samples of a metric that have these labels. */
function total(name: string, labels: Readonly<Record<string, string>> = {}): number {
  // The parser folds the samples of a histogram into one, without their sums.
  const withoutHistograms = scraped.replaceAll(/^# TYPE \S+ histogram$/gm, '');
  const family = parse(withoutHistograms).find((one) => one.name === name);
  const wanted = Object.entries(labels);
  return (family?.metrics ?? [])
    .filter(({ labels: its = {} }) => wanted.every(([label, value]) => its[label] === value))
    .reduce((sum, { value }) => sum + Number(value), 0);
}

test('a parser of the Prometheus text format reads all of it, ours beside the figures of the SDK', () => {
  const names = parse(scraped).map(({ name }) => name);

  expect(names).toEqual(expect.arrayContaining(['temporal_activity_execution_latency_seconds']));
  expect(names.filter((name) => name.startsWith('everloop_')).sort()).toEqual([
    'everloop_compactions_total',
    'everloop_cost_usd',
    'everloop_model_failures_total',
    'everloop_queries_total',
    'everloop_queries_waiting',
    'everloop_recoveries_total',
    'everloop_stop_latency_seconds',
    'everloop_tokens_total',
    'everloop_tool_calls_total',
    'everloop_tool_overlap_seconds',
    'everloop_turns_total',
  ]);
});

test('tool calls count by name and outcome, and a name that the model made up is no label', () => {
  const calls = (tool: string, outcome: string): number =>
    total('everloop_tool_calls_total', { tool, outcome });

  expect({
    glob: calls('Glob', 'ok'),
    bash: calls('Bash', 'error'),
    stopped: calls('Bash', 'interrupted'),
    madeUp: calls('unknown', 'error'),
  }).toEqual({ glob: 1, bash: 1, stopped: 1, madeUp: 1 });
  expect(scraped).not.toContain('MadeUp');
});

test('an overlap with the stream, a refused request, a recovery, a compaction and a stop count once each', () => {
  expect(total('everloop_tool_overlap_seconds_sum')).toBeGreaterThan(0);
  expect(total('everloop_recoveries_total')).toBe(1);
  expect(total('everloop_model_failures_total', { error: 'overloaded' })).toBe(1);
  expect(total('everloop_compactions_total', { trigger: 'manual', outcome: 'compacted' })).toBe(1);
  expect(total('everloop_stop_latency_seconds_sum')).toBeGreaterThan(0);
  expect(total('everloop_queries_total', { terminal: 'completed' })).toBe(3);
});

test('tokens are those that the model reported', () => {
  const reported = worker.model.requests.flatMap(({ usage }) => (usage === null ? [] : [usage]));

  const output = reported.reduce((sum, { output_tokens }) => sum + output_tokens, 0);
  expect(total('everloop_tokens_total', { kind: 'output' })).toBe(output);
  expect(total('everloop_cost_usd_sum')).toBeGreaterThan(0);
});

withPrometheus(
  'every panel of the dashboard has samples of this run in a real Prometheus',
  async () => {
    const empty = async (): Promise<readonly string[]> => {
      const counts = await Promise.all(
        panelQueries().map(async (query) => ((await prometheus!.query(query)) > 0 ? [] : [query])),
      );
      return counts.flat();
    };

    await until(async () => (await empty()).length === 0).catch(() => undefined);

    expect(await empty()).toEqual([]);
  },
);

test('the health of a Worker that polls is good, and each look is told by name', async () => {
  expect(await worker.health('/healthz')).toMatchObject({ status: 200 });
  const { status, body } = await worker.health('/readyz');

  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({
    ready: true,
    checks: { server: 'ok', worker: 'ok', store: 'ok' },
  });
});

/** A real Prometheus that asks one endpoint every second. */
class Prometheus {
  readonly #folder = mkdtempSync(join(tmpdir(), 'everloop-prometheus-'));
  readonly #child;

  private constructor(
    readonly port: number,
    target: number,
  ) {
    const config = join(this.#folder, 'prometheus.yml');
    const scrape = {
      job_name: 'everloop',
      scrape_interval: '1s',
      static_configs: [{ targets: [`127.0.0.1:${target}`] }],
    };
    // JSON is YAML.
    writeFileSync(config, JSON.stringify({ scrape_configs: [scrape] }));
    this.#child = spawn(
      'prometheus',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(this.#folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
  }

  static async start(target: number): Promise<Prometheus> {
    const started = new Prometheus(await freePort(), target);
    await until(async () => (await started.query('up == 1').catch(() => 0)) > 0);
    return started;
  }

  /** Number of samples. Fails: Error with what the server says of a query that it does not understand. */
  async query(promql: string): Promise<number> {
    const url = `http://127.0.0.1:${this.port}/api/v1/query?query=${encodeURIComponent(promql)}`;
    const answer = (await (await fetch(url)).json()) as {
      readonly error?: string;
      readonly data?: { readonly result: readonly unknown[] };
    };
    if (answer.data === undefined) throw new Error(`${promql}: ${answer.error}`);
    return answer.data.result.length;
  }

  async close(): Promise<void> {
    await kill(this.#child);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
