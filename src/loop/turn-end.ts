import type { QueuedMessage } from './context';
import type { Reply } from './outcomes';
import type { ToolUseContext } from './state';

/** A turn that ended well, with every call of the reply answered. */
export interface FinishedTurn {
  readonly reply: Reply;
  /** false: the loop ends here unless messages are brought. */
  readonly willGoOn: boolean;
  /** false: a limit is reached or a value is there; what is brought would not be heard. */
  readonly mayGoOn: boolean;
  readonly toolUseContext: ToolUseContext;
}

/** `stop`: no further turn, whatever is left to do. `proceed`: what the next request brings, and is made with. */
export type TurnVerdict =
  | { readonly type: 'stop' }
  | {
      readonly type: 'proceed';
      readonly messages: readonly QueuedMessage[];
      readonly toolUseContext: ToolUseContext;
      /** There is another turn even if nothing is new. */
      readonly again?: true;
    };
