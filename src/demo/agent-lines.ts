import type { LogEntry } from '../transcript/session-log';
import type { TranscriptRecord } from '../transcript/record';

export interface AgentLine {
  readonly turn: number;
  readonly text: string;
}

interface Call {
  readonly turn: number;
  readonly tool: string;
  /** What it works on, in a few words. */
  readonly summary: string;
}

type Entry<Type extends LogEntry['type']> = Extract<LogEntry, { type: Type }>;
type UserContent = Extract<TranscriptRecord, { type: 'user' }>['message']['content'];
type ResultBlock = Extract<Exclude<UserContent, string>[number], { type: 'tool_result' }>;

/** Turns the session log into lines for people: what the agent says, and each tool call with its end. */
export class AgentLines {
  readonly #folder: string;
  readonly #calls = new Map<string, Call>();
  #turn = 0;

  /** Paths are shown as seen from `folder`. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  after(entry: LogEntry): readonly AgentLine[] {
    if (entry.type === 'stream_started') this.#turn = entry.turn;
    if (entry.type === 'tool_started') this.#started(entry);
    if (entry.type === 'api_retry') return [{ turn: this.#turn, text: retryText(entry) }];
    return entry.type === 'record' ? this.#recorded(entry) : [];
  }

  /** undefined: it has not started. */
  lineOf(toolUseId: string): AgentLine | undefined {
    const call = this.#calls.get(toolUseId);
    return call && { turn: call.turn, text: textOf(call) };
  }

  #started({ toolUseId, name, summary }: Entry<'tool_started'>): void {
    const shown = summary.replaceAll(`${this.#folder}/`, '');
    const turn = this.#calls.get(toolUseId)?.turn ?? this.#turn;
    this.#calls.set(toolUseId, { turn, tool: name, summary: shown });
  }

  #recorded({ record }: Entry<'record'>): readonly AgentLine[] {
    if (record.type === 'assistant') {
      return record.message.content.flatMap((block) => {
        if (block.type === 'tool_use') {
          this.#calls.set(block.id, { turn: this.#turn, tool: block.name, summary: '' });
        }
        return block.type === 'text' ? [{ turn: this.#turn, text: block.text }] : [];
      });
    }
    if (record.type !== 'user' || typeof record.message.content === 'string') return [];
    return record.message.content.flatMap((block) =>
      block.type === 'tool_result' ? this.#ended(block) : [],
    );
  }

  #ended(block: ResultBlock): readonly AgentLine[] {
    const call = this.#calls.get(block.tool_use_id);
    if (call === undefined) return [];
    return [{ turn: call.turn, text: `${textOf(call)} → ${endOf(call.tool, block)}` }];
  }
}

const textOf = ({ tool, summary }: Call): string => `${tool} ${summary}`.trimEnd();

function retryText({ attempt, maxRetries, delayMs, error }: Entry<'api_retry'>): string {
  return `model call failed (${error}): retry ${attempt} of ${maxRetries} in ${delayMs / 1000} s`;
}

function endOf(tool: string, { content, is_error: isError }: ResultBlock): string {
  const lines = (typeof content === 'string' ? content : '').trim().split('\n');
  const [first = '', last = ''] = [lines[0], lines.at(-1)];
  if (isError)
    return /^Exit code \d+$/.test(first) ? first.toLowerCase().replace(' code', '') : first;
  return tool === 'Bash' ? `exit 0 · ${last}` : 'done';
}
