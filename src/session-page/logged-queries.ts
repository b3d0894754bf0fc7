import { fromQueryWorkflowId } from '../loop/workflow-id';
import type { LogEntry } from '../transcript/session-log';
import type { QueryFacts, QueryState } from './facts';
import { QueryDraft, type FindReply } from './query-draft';

/** `running`: of a query without an end, by its id. */
export type StateOf = (queryId: string) => Exclude<QueryState, 'ended'>;

/** The queries of a session, put together from its log. Sub-agents are with the calls that they answer. */
export class LoggedQueries {
  readonly #findReply: FindReply;
  readonly #drafts = new Map<string, QueryDraft>();

  constructor(findReply: FindReply) {
    this.#findReply = findReply;
  }

  async add(entry: LogEntry, atMs: number): Promise<void> {
    const { queryId } = entry;
    let draft = this.#drafts.get(queryId);
    if (draft === undefined) {
      const { promptId } = fromQueryWorkflowId(queryId);
      // What another program has recorded is named by its prompt alone.
      const id = promptId === '' ? queryId : promptId;
      draft = new QueryDraft(queryId, id, atMs, this.#findReply);
      this.#drafts.set(queryId, draft);
    }
    await draft.add(entry, atMs);
  }

  get queryIds(): readonly string[] {
    return [...this.#drafts.keys()];
  }

  toFacts(stateOf: StateOf): readonly QueryFacts[] {
    const drafts = [...this.#drafts.values()];
    const calls = new Map(
      drafts.flatMap(({ calls: own }) => own.map((call) => [call.id, call] as const)),
    );
    const isOfPerson: QueryDraft[] = [];
    for (const draft of drafts) {
      const call = calls.get(draft.parentCall ?? '');
      if (call === undefined) isOfPerson.push(draft);
      else call.subAgent = draft.toFacts(stateOf(draft.queryId));
    }
    return isOfPerson.map((draft) => draft.toFacts(stateOf(draft.queryId)));
  }
}
