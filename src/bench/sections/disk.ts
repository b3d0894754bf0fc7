import { randomUUID } from 'node:crypto';
import { closeSync, fdatasync, openSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clockMs } from '../clock';
import { sampled } from '../figure';
import type { Size } from '../options';
import type { Measured } from '../report';
import type { Rig } from '../rig';
import type { AssistantRecord } from '../../transcript/record';

const toDisk = promisify(fdatasync);
const BYTES = 1_000;

/** What the disk asks for a promise, and what the store adds. */
export async function measureDisk(rig: Rig, size: Size): Promise<Measured> {
  const file = openSync(join(rig.home, 'fdatasync'), 'a');
  const block = Buffer.alloc(BYTES, 'x');
  const synced = await timed(size.appends, async () => {
    writeSync(file, block);
    await toDisk(file);
  });
  closeSync(file);

  const { store, fingerprint } = rig.host;
  const sessionId = randomUUID();
  const session = await store.createSession({
    sessionId,
    cwd: rig.project,
    taskQueue: 'bench',
    createdAt: new Date().toISOString(),
    fingerprint,
    persistent: true,
  });
  const owner = { workerId: 'bench', host: hostname(), socket: '' };
  const lease = await session.acquireLease(owner, () => Promise.resolve(false));
  let parentUuid: string | null = null;
  const appended = await timed(size.appends, async (run) => {
    const record = textRecord(sessionId, rig.project, parentUuid);
    parentUuid = record.uuid;
    await session.append(lease, `bench:${run}`, [record]);
  });
  const intended = await timed(size.appends, (run) =>
    session.ledger.recordIntent(
      lease,
      { id: `toolu_${run}`, recordId: 'bench' },
      { tool: 'Bash', attempt: 1, at: new Date().toISOString() },
    ),
  );
  const logged = await timed(size.appends, () =>
    session.log.append(lease, [
      { type: 'stream_committed', queryId: 'bench', stream: '1.1.1', leaf: '' },
    ]),
  );
  await session.releaseLease(lease);
  return {
    figures: [
      sampled('write of 1 KB and fdatasync', 'ms', synced),
      sampled('append of one record to the transcript', 'ms', appended),
      sampled('intent in the ledger', 'ms', intended),
      sampled('entry in the session log, no fdatasync', 'ms', logged),
    ],
    curves: [],
    notes: [],
  };
}

async function timed(runs: number, act: (run: number) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const begunAtMs = clockMs();
    await act(run);
    times.push(clockMs() - begunAtMs);
  }
  return times;
}

function textRecord(sessionId: string, cwd: string, parentUuid: string | null): AssistantRecord {
  return {
    type: 'assistant',
    uuid: randomUUID(),
    parentUuid,
    sessionId,
    cwd,
    timestamp: new Date().toISOString(),
    version: 'bench',
    userType: 'external',
    isSidechain: false,
    message: {
      id: 'msg_bench',
      type: 'message',
      role: 'assistant',
      model: 'bench',
      content: [{ type: 'text', text: 'x'.repeat(450), citations: null }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 1,
        output_tokens: 1,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
  };
}
