import type { Client } from '@temporalio/client';
import { rescueOrphans } from '../recovery/rescue';
import { endShells } from '../tools/shell/background-shell';
import type { LeaseOwner, SessionStore } from '../transcript/store';
import { SessionRuns } from './session-runs';

/** Removes a session: its background shells end, what dead Workers of this home noted of it is given up, its runs at the
 *  Temporal server go, then all that the store keeps. The store's entry goes last: one that was cut short is found, and
 *  done, again. Returns how many runs the server had. Fails: StoreError. */
export async function deleteSession(
  session: SessionStore,
  of: {
    readonly client: Client;
    readonly place: string;
    readonly home: string;
    isAlive(owner: LeaseOwner): Promise<boolean>;
  },
): Promise<number> {
  const { client, place } = of;
  const { sessionId } = session.meta;
  await endShells(session.folderPath('shells'));
  const runs = new SessionRuns(client, { place, sessionId, promptIds: await promptsOf(session) });
  // Their notes name attempts of this session, which nobody can report for once its runs are gone.
  await rescueOrphans(of);
  const deleted = await runs.delete();
  await session.delete();
  return deleted;
}

async function promptsOf(session: SessionStore): Promise<ReadonlySet<string>> {
  const promptIds = new Set<string>();
  for await (const { entry } of session.log.read()) {
    if (entry.type === 'query_started') promptIds.add(entry.promptId);
  }
  return promptIds;
}
