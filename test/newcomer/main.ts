/** Follows README as somebody would who has just cloned the repository, with an empty home, and says how long it took
 *  to each thing that it promises. Exit code 1: one of them failed, or took more than five minutes from the clone on.
 *  Run: npm run newcomer (asks registries; with ANTHROPIC_API_KEY also the real model). */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { NewcomerShell } from './newcomer-shell';
import { deedsOf } from './readme';

const ROOT = join(__dirname, '..', '..');
const LIMIT_SECONDS = 300;
/** Under which heading each goal is reached. */
const GOALS: ReadonlyMap<string, string> = new Map([
  ['First answer', 'first answer'],
  ['A tool of your own', 'own tool'],
  ['A kill of your own', 'survived kill'],
]);
const [KEY, NO_KEY] = ['ANTHROPIC_API_KEY=sk-ant-', 'everloop scripted-model'];

async function main(): Promise<number> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-newcomer-')));
  mkdirSync(join(folder, 'home'));
  const startedAtMs = performance.now();
  const secondsSoFar = (): number => (performance.now() - startedAtMs) / 1000;
  const clone = join(folder, 'everloop');
  const env = newcomersEnvironment(folder);
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone]);

  const hasKey = process.env['ANTHROPIC_API_KEY'] !== undefined;
  const deeds = deedsOf(join(clone, 'README.md'), 'A kill of your own')
    .filter(({ text }) => !text.includes(KEY) && !(hasKey && text.includes(NO_KEY)))
    // The tests take longer than all of this, and are not needed for it.
    .map((deed) => ({ ...deed, text: deed.text.replace(/^npm ci && npm test.*$/m, '') }))
    // A real model chooses its own words.
    .map((deed) => (hasKey ? { ...deed, prints: [] } : deed));
  const shell = new NewcomerShell(clone, env, (text) => void process.stderr.write(text));
  const reached = new Map<string, number>();
  try {
    for (const deed of deeds) {
      await shell.perform(deed, { timeoutMs: 2 * LIMIT_SECONDS * 1000 });
      const goal = GOALS.get(deed.heading);
      if (goal !== undefined) reached.set(goal, secondsSoFar());
    }
  } finally {
    await shell.end();
    // README leaves it to its reader.
    spawnSync(join(clone, 'bin', 'everloop'), ['server', 'stop'], { env, stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  const model = hasKey ? 'the real model' : 'the scripted model';
  const load = loadavg()[0]?.toFixed(1);
  console.log(`\nFrom the clone on, with ${model}; asked: 5:00 each; load of the machine: ${load}`);
  for (const [goal, seconds] of reached) console.log(`  ${goal.padEnd(14)} ${minutes(seconds)}`);
  return [...GOALS.values()].every((goal) => (reached.get(goal) ?? Infinity) <= LIMIT_SECONDS)
    ? 0
    : 1;
}

/** Nothing of whoever runs this but the programs on the path, and a key if there is one. */
function newcomersEnvironment(folder: string): Readonly<Record<string, string | undefined>> {
  const { PATH, LANG, ANTHROPIC_API_KEY } = process.env;
  const proxies = Object.entries(process.env).filter(([name]) => /_proxy$/i.test(name));
  return {
    ...Object.fromEntries(proxies),
    PATH,
    LANG,
    ANTHROPIC_API_KEY,
    HOME: join(folder, 'home'),
  };
}

function minutes(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

void main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
