import type {
  AgentEvent,
  AgentLoopConfig,
  Call,
  Ending,
  Message,
  Model,
  Reply,
} from '../../src/template';

export interface Said extends Reply {
  readonly text: string;
}

export const says = (text: string): Said => ({ text });
export const asks = (...names: readonly string[]): Said => ({
  text: '',
  toolCalls: names.map((name, index) => ({ id: `${name}-${index}`, name, input: { name } })),
});

/** Plays replies in order and keeps what it was asked with. */
export function scripted(...replies: readonly Said[]) {
  const requests: (readonly Message<Said>[])[] = [];
  const model: Model<Said> = {
    async complete(messages) {
      const reply = replies[requests.length];
      requests.push([...messages]);
      if (reply === undefined) throw new Error('The script is used up.');
      return reply;
    },
  };
  return { model, requests };
}

export const PROMPT: readonly Message<Said>[] = [{ role: 'user', content: 'hi' }];

export const config: AgentLoopConfig<Said> = {
  maxTurns: 10,
  tools: new Map([
    ['echo', async ({ name }: { name: string }) => `${name}!`],
    ['fail', async () => Promise.reject(new Error('disk full'))],
  ]),
  shouldContinue: ({ toolCalls = [] }) => toolCalls.length > 0,
};

/** Reads a run to its end: what it told, in short, and what it returned. */
export async function runToEnd<R extends Reply>(
  loop: AsyncGenerator<AgentEvent<R>, Ending<R>>,
): Promise<{ told: string[]; events: AgentEvent<R>[]; ending: Ending<R> }> {
  const events: AgentEvent<R>[] = [];
  for (;;) {
    const step = await loop.next();
    if (step.done === true) return { told: events.map(inShort), events, ending: step.value };
    events.push(step.value);
  }
}

export function inShort<R extends Reply>({ type, data }: AgentEvent<R>): string {
  if (type === 'done') return `done/${data.reason}`;
  const call: Call | undefined =
    type === 'tool_call'
      ? data
      : type === 'tool_result' || type === 'error'
        ? data.call
        : undefined;
  return call === undefined ? type : `${type} ${call.name}`;
}
