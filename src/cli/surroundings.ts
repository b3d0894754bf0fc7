import type { StandardInput } from './input/text-input';
import type { StatusLine } from '../progress/status-line';
import type { OutputStream } from './output/output-stream';

/** What a command has around it; tests give it a world of their own. */
export interface Surroundings {
  readonly stdin: StandardInput;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Working folder, absolute. */
  readonly cwd: string;
  /** Version of everloop. */
  readonly version: string;
  /** Where the API key comes from, as clients are told: ANTHROPIC_API_KEY or none. */
  readonly apiKeySource: string;
  /** The client that started us follows `session_state_changed`. */
  readonly clientReadsState: boolean;
  readonly newId: () => string;
  /** ISO instant. */
  readonly now: () => string;
  /** Opens the line that shows what goes on; absent: no person is there to see it. */
  readonly openStatusLine?: () => Promise<StatusLine>;
  /** Ctrl-C, as often as it is pressed. */
  readonly onInterrupt: (listener: () => void) => void;
}
