import { checkTranscript, repairTranscript, type Finding } from '../../transcript/check-transcript';
import type { SessionStore, TranscriptStore } from '../../transcript/store';
import { fine, wrong, type Check } from './check';

/** Reads every transcript of the store. A session that somebody works with is never repaired under his hands. */
export function transcriptsCheck(openStore: () => Promise<TranscriptStore>): Check {
  return {
    name: 'Transcripts',
    run: async (repair) => {
      const store = await openStore();
      try {
        const damaged: string[] = [];
        const metas = await store.listSessions();
        for (const { sessionId } of metas) {
          const session = await store.openSession(sessionId);
          const left = session ? await damageLeft(session, repair) : undefined;
          if (left) damaged.push(left.message);
        }
        return damaged.length === 0
          ? fine(`${metas.length} in order`)
          : wrong(
              `${damaged.length} of ${metas.length} are damaged: ${damaged.join(' ')}`,
              'Stop the sessions, then run: everloop doctor --repair.',
            );
      } finally {
        await store.close();
      }
    },
  };
}

/** The first damage that stays; undefined: the transcript is sound, or is not written yet. */
async function damageLeft(session: SessionStore, repair: boolean): Promise<Finding | undefined> {
  const { transcriptPath } = session;
  const [first] = await checkTranscript(transcriptPath).catch(ignoreMissing);
  if (!first || !repair || (await session.currentLease())) return first;
  await repairTranscript(transcriptPath);
  return (await checkTranscript(transcriptPath))[0];
}

function ignoreMissing(error: unknown): Finding[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}
