import type { PromptGrant } from '../context/expand-prompt';
import type { QueryCall } from './query-call';
import type { ServedSession } from './served-sessions';

const NOTHING: PromptGrant = { allow: [], model: null };

type Query = Pick<QueryCall, 'session' | 'promptId'>;

/** By the id of the prompt: only this process writes them. */
const known = new WeakMap<ServedSession, Map<string, PromptGrant>>();

/** What the commands and skills of a query brought for it, and for nothing after it. */
export async function queryGrants({ session, promptId }: Query): Promise<PromptGrant> {
  const ofSession = known.get(session) ?? new Map<string, PromptGrant>();
  known.set(session, ofSession);
  const found =
    ofSession.get(promptId) ??
    ((await session.store.readDocument(documentOf(promptId))) as PromptGrant | undefined) ??
    NOTHING;
  ofSession.set(promptId, found);
  return found;
}

/** Safe to repeat. On disk when it resolves: what it allows may be done next. */
export async function addQueryGrant(query: Query, { allow, model }: PromptGrant): Promise<void> {
  const before = await queryGrants(query);
  const { session, promptId } = query;
  const after = {
    allow: [...new Set([...before.allow, ...allow])],
    model: model ?? before.model,
  };
  await session.store.writeDocument(session.lease, documentOf(promptId), after);
  known.get(session)?.set(promptId, after);
}

const documentOf = (promptId: string): string => `query-grants-${promptId}`;
