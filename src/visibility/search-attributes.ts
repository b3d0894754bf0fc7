import type { SearchAttributePair } from '@temporalio/common';

const keyword = (name: string): { name: string; type: 'KEYWORD' } => ({ name, type: 'KEYWORD' });

/** What sessions and queries can be found by, in the Temporal UI and with `everloop ls --query`. */
export const ATTRIBUTES = {
  /** Of a query: running, awaiting-approval, awaiting-answer, awaiting-workspace, paused. One that has ended keeps its last. */
  status: keyword('EverloopStatus'),
  /** What a query that waits would go on with: "approval: Bash", "answer", "resume", "budget: usd",
   *  "workspace: alpha". */
  waitingFor: keyword('EverloopWaitingFor'),
  model: keyword('EverloopModel'),
  transition: keyword('EverloopTransition'),
  workspace: keyword('EverloopWorkspace'),
  user: keyword('EverloopUser'),
  turn: { name: 'EverloopTurn', type: 'INT' as const },
  costUsd: { name: 'EverloopCostUsd', type: 'DOUBLE' as const },
};

const SERVER_TYPES = { KEYWORD: 'Keyword', INT: 'Int', DOUBLE: 'Double' } as const;

/** Name to type, as the server spells it. */
export const ATTRIBUTE_TYPES: Readonly<Record<string, 'Keyword' | 'Int' | 'Double'>> =
  Object.fromEntries(Object.values(ATTRIBUTES).map(({ name, type }) => [name, SERVER_TYPES[type]]));

/** Some visibility stores take no longer keywords, and a Workflow that sets one is stuck. */
const KEYWORD_CHARS = 255;

/** The beginning of a text, as far as it can be searched for. */
export const toKeyword = (text: string): string => text.slice(0, KEYWORD_CHARS);

/** What a query waits for that nobody of its workspace serves. */
export const toWaitingFor = (workspace: string): string => `workspace: ${workspace}`;

/** What a Workflow is started with: set so, they cost no event. */
export function startAttributes(of: {
  readonly user: string;
  readonly workspace: string;
  readonly model: string;
  /** Absent: it is no query. */
  readonly status?: 'running';
}): SearchAttributePair[] {
  const { status, model, workspace, user } = of;
  const pairs = [
    { key: ATTRIBUTES.model, value: toKeyword(model) },
    // The end of a long path says more than its beginning.
    { key: ATTRIBUTES.workspace, value: workspace.slice(-KEYWORD_CHARS) },
    { key: ATTRIBUTES.user, value: toKeyword(user) },
  ];
  return status === undefined ? pairs : [{ key: ATTRIBUTES.status, value: status }, ...pairs];
}
