import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { MARK } from '../leftovers';
import { ROOT } from '../shape';
import { marker } from './markers';
import { FILE, GO } from './scan-script';

const execute = promisify(execFile);

/** Longer than anything takes that works, on a machine that has much else to do. */
const COMMAND_WITHIN_MS = 180_000;
const WAITING_WITHIN_MS = 120_000;

/** Runs `everloop` with these arguments in the workspace, as people do. Returns what it prints.
 *  Fails: Error when its exit code is not 0. */
export type Everloop = (...args: readonly string[]) => Promise<string>;

export interface Workspace {
  readonly path: string;
  readonly everloop: Everloop;
}

export function openWorkspace(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Workspace {
  const path = join(folder, 'workspaces', marker('Folder'));
  mkdirSync(join(path, '.claude'), { recursive: true });
  const env = { ...environment, [MARK]: folder, EVERLOOP_USER: marker('User') };
  return {
    path,
    everloop: async (...args) => {
      const { stdout } = await execute(process.execPath, [join(ROOT, 'bin/everloop'), ...args], {
        cwd: path,
        env,
        timeout: COMMAND_WITHIN_MS,
        maxBuffer: 64 << 20,
      });
      return stdout;
    },
  };
}

/** Ids of the sessions that have everything in them that the scan looks for. */
export interface Planted {
  readonly background: string;
  readonly foreground: string;
}

/** Works with the cluster until every marker but those of a resumed session has been said. */
export async function plantSessions(workspace: Workspace): Promise<Planted> {
  const { everloop } = workspace;
  writeFiles(workspace);
  const foreground = await askForeground(workspace);
  const refused = (await everloop('run', '--detach', 'Be refused.')).trim();
  const background = (await everloop('run', '--detach', ...WORK)).trim();
  const waiting = { ...workspace, session: background };
  await decide(waiting, 'approve', 'Write');
  await decide(waiting, 'approve', 'reversed.txt', '--note', marker('ApprovalNote'));
  await decide(waiting, 'approve', 'refused.txt');
  await decide(waiting, 'deny', 'denied', '--note', marker('DenialNote'));
  const question = await waitingCall(waiting, marker('Question'));
  await everloop('answer', background, question, marker('Answer'));
  await decide(waiting, 'approve', `-e ${GO} ]`);
  await everloop('steer', background, marker('Steering'));
  writeFileSync(join(workspace.path, GO), '');
  await everloop('attach', background);
  await everloop('attach', refused).catch(() => undefined);
  await everloop(
    'schedule',
    'create',
    marker('Schedule'),
    marker('SchedulePrompt'),
    '--every',
    '1d',
  );
  await everloop('schedule', 'trigger', marker('Schedule'));
  return { background, foreground };
}

const WORK = [
  marker('Prompt'),
  '--append-system-prompt',
  marker('SystemPrompt'),
  '--allowed-tools',
  'Read',
  'Agent',
  'TodoWrite',
  '--agents',
  JSON.stringify({
    helper: { description: marker('AgentDescription'), prompt: marker('AgentPrompt') },
  }),
];

const reversed = (text: string): string => Buffer.from(text).reverse().toString();

/** What a command prints is not in the command. */
function writeFiles({ path }: Workspace): void {
  const hook = { type: 'command', command: `echo ${marker('HookContext')}` };
  const settings = { hooks: { UserPromptSubmit: [{ hooks: [hook] }] } };
  const files = {
    [FILE]: `${marker('FileBefore')}\n`,
    'reversed.txt': `${reversed(marker('ToolOutput'))}\n`,
    'refused.txt': `${reversed(marker('ToolFailure'))}\n`,
    'CLAUDE.md': `${marker('Memory')}\n`,
    '.claude/settings.json': JSON.stringify(settings),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
}

const Result = z.object({ session_id: z.string(), result: z.string() });

async function askForeground({ everloop }: Workspace): Promise<string> {
  const said = await everloop('-p', marker('ForegroundPrompt'), '--output-format', 'json');
  const { session_id: id, result } = Result.parse(JSON.parse(said));
  if (result !== marker('ForegroundReply')) throw new Error(`The answer was: ${said}`);
  return id;
}

const Waiting = z.object({
  waiting: z.array(z.looseObject({ toolUseId: z.string() })),
});

interface WaitingSession extends Workspace {
  readonly session: string;
}

async function decide(
  session: WaitingSession,
  how: 'approve' | 'deny',
  about: string,
  ...args: readonly string[]
): Promise<void> {
  const id = await waitingCall(session, about);
  await session.everloop(how, session.session, id, ...args);
}

/** Id of the call that waits and whose input has these words. */
async function waitingCall({ everloop, session }: WaitingSession, about: string): Promise<string> {
  const deadline = Date.now() + WAITING_WITHIN_MS;
  for (;;) {
    const said = await everloop('approve', session, '--json');
    const { waiting } = Waiting.parse(JSON.parse(said));
    const call = waiting.find((one) => JSON.stringify(one).includes(about));
    if (call !== undefined) return call.toolUseId;
    if (Date.now() > deadline) {
      throw new Error(`No call with "${about}" waits in session ${session}: ${said}`);
    }
    await delay(500);
  }
}

/** What was said is read again, by each command that shows it. Returns what is not there. */
export async function openSessions(
  { everloop }: Workspace,
  { background, foreground }: Planted,
): Promise<readonly string[]> {
  const all = ['--output-format', 'stream-json', '--verbose'];
  const looks = [
    {
      args: ['logs', background, '--json'],
      words: ['Reply', 'FileAfter', 'ToolOutput', 'Steering'],
    },
    { args: ['attach', background, ...all], words: ['Reply', 'ToolOutput'] },
    { args: ['show', background], words: [] },
    { args: ['logs', foreground, '--json'], words: ['ForegroundReply'] },
    { args: ['attach', foreground, ...all], words: ['ForegroundReply'] },
  ] as const;
  const missing: string[] = [];
  for (const { args, words } of looks) {
    const said = await everloop(...args);
    const lost = words.filter((word) => !said.includes(marker(word)));
    if (lost.length > 0) missing.push(`everloop ${args.join(' ')} does not say ${lost.join(', ')}`);
  }
  return missing;
}

/** Fails: Error when the session does not answer. */
export async function resumeSession({ everloop }: Workspace, id: string): Promise<void> {
  const said = await everloop('-p', marker('ResumedPrompt'), '--resume', id);
  if (!said.includes(marker('ResumedReply'))) throw new Error(`Session ${id} answers: ${said}`);
}
