import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { has, untilSo, type Checked } from '../checked';
import { Desk } from './desk';
import { HELD } from './lost-in-tool';
import { requireOutline } from './outline';
import { fileIn, PATIENCE_MS, requireOnce, type Played, type Stage } from './stage';

const WORKSPACE = 'cellar';

const Shown = z.object({
  queries: z.array(z.object({ status: z.string().nullable(), waitingFor: z.string().nullable() })),
});

/** One session: its workspace loses the only host, people see it wait, and move it. */
export function lostWorkspace(stage: Stage): readonly Checked[] {
  const { options, onlooker } = stage;
  const { cluster, folder } = options;
  const elsewhere = join(folder, 'onlooker');
  const to = cluster.variables['EVERLOOP_WORKSPACE'] ?? '';
  let played: Played | null = null;
  const parked = (): Played => {
    if (played === null) throw new Error('No session was begun there.');
    return played;
  };
  return [
    {
      claim: 'a query whose workspace has lost its only host waits, and says for what',
      async look() {
        const host = await cluster.addWorker('worker-3', WORKSPACE);
        played = await stage.play('lost-workspace', HELD, Desk.at(options, host, WORKSPACE));
        await fileIn(played.folder, 'started');
        await host.kill();
        const { sessionId } = played;
        return untilSo(async () => {
          const shown = await onlooker.everloop(['show', sessionId, '--json'], elsewhere);
          const [query] = Shown.parse(JSON.parse(shown)).queries;
          has(query?.status ?? 'no query', 'awaiting-workspace');
          return has(query?.waitingFor ?? 'nothing', `workspace: ${WORKSPACE}`);
        }, PATIENCE_MS);
      },
    },
    {
      claim: 'everloop workspace ls names the workspace that nobody serves',
      look: async () => has(await onlooker.everloop(['workspace', 'ls'], elsewhere), WORKSPACE),
    },
    {
      claim: 'after everloop workspace move it goes on there, and nothing is run again unseen',
      async look() {
        const { sessionId, followed, folder: cwd } = parked();
        await onlooker.everloop(['workspace', 'move', sessionId, '--to', to], elsewhere);
        has(await followed, '[scripted model] It says: Outcome unknown:');
        const heir = await stage.ownerOf(parked());
        writeFileSync(join(cwd, 'go'), '');
        requireOnce(cwd, 'runs');
        const outline = await stage.outlineOf(parked());
        const last = outline.at(-1) ?? '';
        requireOutline(outline, [`user: ${HELD}`, 'call Bash', 'result: unknown', last]);
        const calls = stage.modelCallsOf(parked(), 2);
        return `finished by ${heir.host} in ${to}; ${calls}; the command ran once, its outcome is reported as unknown`;
      },
    },
  ];
}
