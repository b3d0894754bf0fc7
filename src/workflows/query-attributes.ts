import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { TypedSearchAttributes, type SearchAttributeUpdatePair } from '@temporalio/common';
import { ATTRIBUTES, toKeyword } from '../visibility/search-attributes';
import type { QueryShown } from './query-shown';

/** Tells the server at once that the query begins or ceases to wait: that costs an event, and a query that nobody
 *  waits for pays none. What it was told last is in the Workflow's own info, also after a rollover. */
export function updateAttributes(shown: QueryShown): void {
  const { typedSearchAttributes: told } = workflowInfo();
  const isNews =
    shown.status !== (told.get(ATTRIBUTES.status) ?? 'running') ||
    shown.waitingFor !== (told.get(ATTRIBUTES.waitingFor) ?? null);
  if (isNews) upsertSearchAttributes(attributesOf(shown));
}

/** The last figures of a query whose figures can be searched for; a short one that was never held has none. */
export function updateLastAttributes(shown: QueryShown): void {
  const { typedSearchAttributes: told } = workflowInfo();
  if (told.get(ATTRIBUTES.turn) !== undefined) upsertSearchAttributes(attributesOf(shown));
}

/** With these the next run begins, at no cost: a rollover comes every few dozen turns, and has an event of its own. */
export function carriedAttributes(shown: QueryShown): TypedSearchAttributes {
  const { typedSearchAttributes: told } = workflowInfo();
  const ours = told.getAll().filter(({ key }) => NAMES.has(key.name));
  return new TypedSearchAttributes(ours).updateCopy(attributesOf(shown));
}

const NAMES: ReadonlySet<string> = new Set(Object.values(ATTRIBUTES).map(({ name }) => name));

const attributesOf = (shown: QueryShown): SearchAttributeUpdatePair[] => [
  { key: ATTRIBUTES.status, value: shown.status },
  { key: ATTRIBUTES.waitingFor, value: shown.waitingFor },
  { key: ATTRIBUTES.model, value: toKeyword(shown.model) },
  { key: ATTRIBUTES.transition, value: shown.transition },
  { key: ATTRIBUTES.turn, value: shown.turn },
  { key: ATTRIBUTES.costUsd, value: shown.costUsd },
];
