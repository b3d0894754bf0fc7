/** A report every night: a Temporal Schedule begins a session of its own at each firing, and goes on doing so while
 *  a Worker runs (`everloop service install`). Fired once now, read, and deleted; `--keep` leaves it there.
 *  Run: npx tsx examples/nightly-report.ts [--keep] */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { calls, openStage, says, type Stage } from './stage/stage';

const SALES = 'fruit,sold\napples,12\npears,30\nplums,4\n';
const TASK =
  'Read sales.csv and write REPORT.md: the total, and what sold best. Answer in one sentence.';

/** What a scripted model does about it. */
const REPLIES = [
  calls(['Read', { file_path: 'sales.csv' }]),
  calls(['Write', { file_path: 'REPORT.md', content: '# Sales\n\n46 sold, most of it pears.\n' }]),
  says('46 fruits were sold, 30 of them pears; REPORT.md has it.'),
];

const NAME = 'nightly-report';
/** Who may do what at night is said when the schedule is made: nobody sits there. */
const CREATE = [
  ...['--cron', '0 3 * * *', '--timezone', 'Europe/Berlin'],
  ...['--permission-mode', 'acceptEdits', '--on-budget', 'stop', '--max-budget-usd', '0.5'],
];

interface Shown {
  readonly nextAt: readonly string[];
  readonly firings: readonly { readonly sessionId: string }[];
}

const show = async (stage: Stage): Promise<Shown> =>
  JSON.parse(await stage.everloop('.', 'schedule', 'show', NAME, '--json')) as Shown;

/** The session of the newest firing, as soon as it has begun: the server names it a moment before. */
async function firedSession(stage: Stage): Promise<string> {
  for (;;) {
    const newest = (await show(stage)).firings.at(-1);
    const begun = await stage.everloop('.', 'ls', '--json');
    if (newest !== undefined && begun.includes(newest.sessionId)) return newest.sessionId;
    await wait(500);
  }
}

async function main({ keep }: { readonly keep: boolean }): Promise<void> {
  const stage = await openStage(REPLIES);
  try {
    await stage.startWorker();
    const folder = stage.folder('shop', { 'sales.csv': SALES });
    await stage.everloop(folder, 'schedule', 'create', NAME, ...CREATE, TASK);
    await stage.everloop(folder, 'schedule', 'trigger', NAME);
    const sessionId = await firedSession(stage);
    console.log(`Made, and fired once: session ${sessionId}`);
    console.log(`Answer: ${await stage.everloop(folder, 'attach', sessionId)}`);
    console.log(`REPORT.md:\n${readFileSync(join(folder, 'REPORT.md'), 'utf8').trimEnd()}`);
    if (keep) {
      const home = stage.environment['EVERLOOP_HOME'] ?? '';
      console.log(
        `Kept. Next at ${(await show(stage)).nextAt[0] ?? 'never'}, if a Worker runs then:`,
      );
      console.log(`  EVERLOOP_HOME=${home} npx everloop worker`);
      console.log(`To delete it: EVERLOOP_HOME=${home} npx everloop schedule delete ${NAME}`);
    } else {
      console.log(await stage.everloop(folder, 'schedule', 'delete', NAME));
    }
  } finally {
    await stage.close({ keep });
  }
}

void main({ keep: process.argv.includes('--keep') });
