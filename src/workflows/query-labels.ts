import type { SearchAttributePair } from '@temporalio/common';
import { startAttributes } from '../visibility/search-attributes';
import type { QueryInput } from './interface';

/** What the Temporal UI shows of a query, and finds it by, from the moment it is started. No event. */
export function queryLabels({ view, toolUseContext }: QueryInput): {
  readonly staticSummary?: string;
  readonly typedSearchAttributes?: SearchAttributePair[];
} {
  const { model, workingDirectory: workspace } = toolUseContext;
  return {
    ...(view?.summary !== undefined && { staticSummary: view.summary }),
    ...(view?.attributes !== undefined && {
      typedSearchAttributes: startAttributes({
        status: 'running',
        model,
        workspace,
        user: view.attributes.user,
      }),
    }),
  };
}
