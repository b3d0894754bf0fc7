import {
  CancellationScope,
  condition,
  setCurrentDetails,
  type ContinueAsNewOptions,
} from '@temporalio/workflow';
import type { QueryInput } from './interface';
import { carriedAttributes, updateAttributes, updateLastAttributes } from './query-attributes';
import { queryDetails } from './query-details';
import { shownOf, type QueryParts, type QueryShown } from './query-shown';

export interface QueryDisplay {
  /** Shows how it ended. */
  end(): void;
  /** What the next run begins with. */
  carried(): Pick<ContinueAsNewOptions, 'typedSearchAttributes'>;
}

/** Shows in the Temporal UI what the query does, as it changes.
 *  Replay: conditions are no commands, details cost no event; search attributes are set only where the input says
 *  that the server knows them. */
export function displayQuery(input: QueryInput, parts: QueryParts): QueryDisplay {
  const hasAttributes = input.view?.attributes !== undefined;
  const look = (): QueryShown => shownOf(input, parts);
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const shown = look();
      const details = queryDetails(shown);
      setCurrentDetails(details);
      if (hasAttributes) updateAttributes(shown);
      await condition(() => isOver || queryDetails(look()) !== details);
    }
  };
  // A stop cancels what the query does, not what it shows.
  void CancellationScope.nonCancellable(watch);
  return {
    end() {
      isOver = true;
      const shown = look();
      setCurrentDetails(queryDetails(shown));
      if (hasAttributes) updateLastAttributes(shown);
    },
    carried: () => (hasAttributes ? { typedSearchAttributes: carriedAttributes(look()) } : {}),
  };
}
