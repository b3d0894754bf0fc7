import type { QueryResult } from '../../transcript/session-log';
import type { SdkMessage } from './sdk-message';

/** Where the messages of a session go, one implementation per output format. */
export interface SessionOutput {
  message(message: SdkMessage): Promise<void>;
  /** After the last message. `result` is that of the last query; null: there was none. */
  end(result: Pick<QueryResult, 'is_error' | 'result' | 'errors'> | null): Promise<void>;
}
