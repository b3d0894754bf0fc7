import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Reply } from '../../scripted-model/reply';
import type { BenchProcess } from '../bench-process';
import { sampled, single } from '../figure';
import { Followers } from '../followers/followers';
import { GOALS } from '../goals';
import { oneToolTurns } from '../model/one-tool-turns';
import { ageMs, stampedDeltas } from '../model/stamped-deltas';
import type { Size } from '../options';
import { rssBytesOf } from '../process-usage';
import type { Figure, Measured } from '../report';
import type { Rig } from '../rig';
import { steps } from '../summary';

const PATIENCE_MS = 120_000;
const ROUNDS = 50;
const FOLLOWERS = 100;
const EVERY_MS = 10;
/** Time for the followers to come, and for what is loaded late to be loaded. */
const SETTLES_MS = 4_000;
const LOOK_EVERY_MS = 50;
const UNREAD_CHARS = 200_000;
const FLAGS = ['--output-format', 'stream-json', '--verbose'];
const PARTIALS = [...FLAGS, '--include-partial-messages'];

/** The command as a program drives it. */
export async function measureHeadless(rig: Rig, size: Size): Promise<Measured> {
  const plain = await runPlain(rig, size.starts);
  const rounds = await runRounds(rig);
  const alone = await streamTokens(rig, size.tokens, 0);
  const followed = await streamTokens(rig, size.tokens, FOLLOWERS);
  const read = await growth(rig, 0);
  const unread = await growth(rig, size.unreadMs);
  return {
    figures: [
      ...plain,
      sampled(`one of ${ROUNDS} tool rounds: request → next request`, 'ms', rounds, GOALS.roundMs),
      sampled("token: model's socket → stdout", 'ms', alone.stdoutMs, GOALS.tokenP95Ms),
      sampled(
        `token: model's socket → stdout, ${FOLLOWERS} followers`,
        'ms',
        followed.stdoutMs,
        GOALS.tokenP95Ms,
      ),
      sampled(`token: model's socket → each of the followers`, 'ms', followed.followersMs),
      single('memory while stdout is read', 'MB', read.grownMB),
      single(
        `memory while stdout is not read for ${size.unreadMs / 1_000} s`,
        'MB',
        unread.grownMB,
        GOALS.unreadMB,
      ),
    ],
    curves: [],
    notes: [
      'Each command is a process of its own, spawned by the benchmark, and serves its own session; the Temporal server runs.',
      'The reference program in memory, on this kind of machine: 460 ms (2.1.330, native), 630 ms (2.1.197), 970 ms (2.1.90, JavaScript) for the whole process; 20 to 37 ms a tool round.',
      `Tokens: ${size.tokens} deltas, one every ${EVERY_MS} ms; each carries the instant at which the model handed it to its socket.`,
      `The ${FOLLOWERS} followers live in one process, each with a store and watches of its own, and read as \`everloop attach\` reads; that process competes for the same cores.${followed.allCame ? '' : ' Some of them came after the first delta.'}`,
      `Memory: resident memory of the command, most over the time before the first of ${UNREAD_CHARS / 20} deltas. Whatever was not read is there afterwards, or the run fails.`,
    ],
  };
}

async function runPlain(rig: Rig, starts: number): Promise<readonly Figure[]> {
  const toRequest: number[] = [];
  const toExit: number[] = [];
  for (let run = 0; run < starts; run += 1) {
    await rig.model.play([{ content: [{ type: 'text', text: 'Hello.' }] }]);
    const command = rig.everloop('-p', 'hi', ...FLAGS);
    const { arrivedAtMs } = await command.orExplain(rig.model.request(0, PATIENCE_MS));
    await command.succeed();
    toRequest.push(arrivedAtMs - command.startedAtMs);
    toExit.push((command.endedAtMs ?? Number.NaN) - command.startedAtMs);
  }
  return [
    sampled('plain prompt: process started → request', 'ms', toRequest, GOALS.startMs),
    sampled('plain prompt: whole process', 'ms', toExit, GOALS.wholeMs),
  ];
}

async function runRounds(rig: Rig): Promise<readonly number[]> {
  const { model, project } = rig;
  await model.play(oneToolTurns(ROUNDS, join(project, 'files')));
  const command = rig.everloop(
    '-p',
    'Read on.',
    ...FLAGS,
    '--permission-mode',
    'bypassPermissions',
  );
  await command.orExplain(model.request(ROUNDS, PATIENCE_MS));
  await command.succeed();
  return steps(model.arrivals.map(({ arrivedAtMs }) => arrivedAtMs));
}

async function streamTokens(
  rig: Rig,
  tokens: number,
  followers: number,
): Promise<{
  readonly stdoutMs: readonly number[];
  readonly followersMs: readonly number[];
  readonly allCame: boolean;
}> {
  const sessionId = randomUUID();
  const { home, model } = rig;
  const projectsFolder = join(home, '.claude', 'projects');
  const watching =
    followers === 0 ? null : new Followers({ home, projectsFolder, sessionId, followers });
  try {
    await model.play([stampedDeltas(tokens, EVERY_MS, SETTLES_MS)]);
    const command = rig.everloop('-p', 'go', ...PARTIALS, '--session-id', sessionId);
    const stdoutMs: number[] = [];
    let allCame = true;
    command.onLine((line) => {
      const age = ageOf(line);
      if (age === undefined) return;
      if (stdoutMs.length === 0) allCame = watching?.isFollowing ?? true;
      stdoutMs.push(age);
    });
    await command.succeed();
    return { stdoutMs, followersMs: (await watching?.delaysMs()) ?? [], allCame };
  } finally {
    watching?.close();
  }
}

function ageOf(line: string): number | undefined {
  const { type, event } = JSON.parse(line) as { readonly type: string; readonly event?: unknown };
  return type === 'stream_event' ? ageMs(event) : undefined;
}

/** Most memory over that before the first delta. `unreadMs`: 0: the reader never stops. */
async function growth(rig: Rig, unreadMs: number): Promise<{ readonly grownMB: number }> {
  await rig.model.play([longReply()]);
  const command = rig.everloop('-p', 'go', ...PARTIALS);
  let chars = 0;
  const began = new Promise<void>((resolve) => {
    command.onLine((line) => {
      if (line.includes('"message_start"')) resolve();
      chars += textOf(line).length;
    });
  });
  await command.orExplain(began);
  await pause(SETTLES_MS / 2);
  const before = rssBytesOf(command.pid);
  const most = await watchMemory(command, unreadMs);
  await command.succeed();
  if (chars !== UNREAD_CHARS) {
    throw new Error(`${chars} of ${UNREAD_CHARS} characters came out on stdout.`);
  }
  return { grownMB: (Math.max(before, most) - before) / 1_000_000 };
}

const longReply = (): Reply => ({
  content: [{ type: 'text', text: 'four letter words is'.repeat(UNREAD_CHARS / 20) }],
  deltaChars: 20,
  interruptions: [{ type: 'stall', ms: SETTLES_MS, afterBlocks: 0 }],
});

function textOf(line: string): string {
  const { event } = JSON.parse(line) as {
    readonly event?: { readonly delta?: { readonly text?: string } };
  };
  return event?.delta?.text ?? '';
}

/** Most bytes while nobody reads, and then to the end. */
async function watchMemory(command: BenchProcess, unreadMs: number): Promise<number> {
  let most = 0;
  const look = setInterval(() => {
    if (command.endedAtMs === null) most = Math.max(most, rssBytesOf(command.pid) || 0);
  }, LOOK_EVERY_MS);
  try {
    if (unreadMs > 0) {
      command.stopReading();
      await pause(unreadMs);
      command.readOn();
    }
    await command.ended;
    return most;
  } finally {
    clearInterval(look);
  }
}
