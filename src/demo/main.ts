import { homedir } from 'node:os';
import { loadConfig } from '../config';
import { playDemo } from './demo';
import { DemoFailure } from './demo-failure';
import { Stage } from './stage';
import { isColoured, Story } from './story';

const LIMIT_MS = 300_000;

/** Plays the demo, and ends all that it started but the server. Exit code 0 only if every check has passed. */
async function main(): Promise<number> {
  const story = new Story({
    write: (text) => void process.stdout.write(text),
    isColoured: isColoured(process.stdout.isTTY, process.env),
    now: () => performance.now(),
  });
  const config = loadConfig(process.env, homedir());
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => stopping.abort(new DemoFailure(`Stopped by ${name}.`)));
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => stopping.abort(new DemoFailure('Nobody reads the output.')));
  }
  const limit = AbortSignal.timeout(LIMIT_MS);
  const signal = AbortSignal.any([stopping.signal, limit]);

  const stage = new Stage();
  let isGood = false;
  try {
    story.title('everloop: the process dies, the agent goes on');
    const checks = await playDemo({ config, stage, story, signal });
    story.title('Checked after the run');
    for (const { claim, problem } of checks) {
      story.check(problem === null, problem === null ? claim : `${claim}\n${problem}`);
    }
    isGood = checks.every(({ problem }) => problem === null);
  } catch (error) {
    process.stderr.write(
      `\nThe demo failed. ${error instanceof Error ? error.message : String(error)}\n`,
    );
  } finally {
    await stage.endProcesses();
  }
  if (!isGood) {
    process.stderr.write(`Logs, sessions and project are kept in ${stage.folder}\n`);
    return 1;
  }
  stage.remove();
  if (!config.hasTemporalAddress) {
    process.stdout.write('\nThe Temporal server stays. Stop it: node bin/everloop server stop\n');
  }
  return 0;
}

void main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
