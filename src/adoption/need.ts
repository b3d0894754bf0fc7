import { existsSync } from 'node:fs';
import type { HostPart, RunOptions } from '../transcript/message';
import type { Fingerprint, SessionMeta, SessionStore } from '../transcript/store';

/** A process that might serve the Activities of a session. */
export interface Candidate {
  readonly fingerprint: Fingerprint;
  /** What it has of a client that it belongs to. */
  readonly hostParts: readonly HostPart[];
  /** Where its files are, in a store of several hosts; absent: they are where everybody's are. */
  readonly workspace?: string;
}

/** What a process lacks that a session needs of whoever serves its Activities, as a sentence with the cure; null:
 *  it may serve them. `promptIds` name the queries that run. */
export async function needOf(
  session: SessionStore,
  promptIds: readonly string[],
  candidate: Candidate,
): Promise<string | null> {
  const { meta } = session;
  const ofProcess = needOfSession(meta, candidate);
  if (ofProcess !== null) return ofProcess;
  const messages = await Promise.all(promptIds.map((id) => session.findMessage(id)));
  for (const message of messages) {
    const need = message && needOfQuery(message.options, meta, candidate);
    if (need != null) return need;
  }
  return null;
}

function needOfSession(
  { fingerprint, cwd, workspace, sessionId }: SessionMeta,
  candidate: Candidate,
): string | null {
  const { baseUrl, credentials } = fingerprint;
  const has = candidate.fingerprint;
  if (baseUrl !== has.baseUrl) {
    return `a process with ANTHROPIC_BASE_URL=${baseUrl}`;
  }
  if (credentials !== has.credentials) return `a process with ${CREDENTIALS[credentials]}`;
  if (workspace !== undefined && workspace !== (candidate.workspace ?? workspace)) {
    return `a process of the workspace ${workspace}, or to be moved: everloop workspace move ${sessionId} --to ${candidate.workspace ?? 'NAME'}`;
  }
  if (!existsSync(cwd)) return `its folder ${cwd}: put it back`;
  return null;
}

const CREDENTIALS: Readonly<Record<Fingerprint['credentials'], string>> = {
  api_key: 'ANTHROPIC_API_KEY',
  auth_token: 'ANTHROPIC_AUTH_TOKEN and no ANTHROPIC_API_KEY',
  none: 'neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN',
};

function needOfQuery(
  { agent, needsHost = [] }: RunOptions,
  { sessionId }: SessionMeta,
  { hostParts }: Candidate,
): string | null {
  if (agent !== undefined) return `the program that defines the agent ${agent}`;
  const missing = needsHost.filter((part) => !hostParts.includes(part));
  if (missing.length === 0) return null;
  return `the ${missing.join(' and ')} of the program that began it: resume it from there, or end it with everloop stop ${sessionId}`;
}
