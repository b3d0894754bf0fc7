import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { ContextMessage } from '../../../src/loop/prepare/context-message';
import type { ResultDecisions } from '../../../src/loop/prepare/tool-results';
import { NO_USAGE, type Usage } from '../../../src/loop/usage';

export type Draft = Omit<ContextMessage, 'uuid'>;
type Block = ContentBlockParam;

export type Drafts = readonly (Draft | readonly Draft[])[];

/** Messages named m0, m1, … by their place. */
export const conversation = (...drafts: Drafts): ContextMessage[] =>
  drafts.flat().map((draft, index) => ({ uuid: `m${index}`, ...draft }));

export const user = (...content: Block[]): Draft => ({
  role: 'user',
  content,
  atMs: 0,
  apiId: null,
  usage: null,
});

export const said = (text: string): Draft => user({ type: 'text', text });

export const result = (id: string, content: string | undefined, isError = false): Draft =>
  user({
    type: 'tool_result',
    tool_use_id: id,
    ...(content !== undefined && { content }),
    ...(isError && { is_error: true }),
  });

/** One block of a reply. */
export const block = (
  content: Block,
  apiId: string | null = null,
  usage: Usage | null = null,
  atMs = 0,
): Draft => ({ role: 'assistant', content: [content], atMs, apiId, usage });

export const answer = (text: string, apiId: string | null = null, usage: Usage | null = null) =>
  block({ type: 'text', text }, apiId, usage);

export const call = (
  id: string,
  name = 'Bash',
  input: unknown = {},
  apiId: string | null = `reply-${id}`,
  usage: Usage | null = null,
): Draft => block({ type: 'tool_use', id, name, input }, apiId, usage);

/** A call and its result. */
export const round = (id: string, content: string, name = 'Bash'): Draft[] => [
  call(id, name),
  result(id, content),
];

export const rounds = (count: number, content: string, prefix = 'c'): Draft[] =>
  Array.from({ length: count }, (_, index) => round(`${prefix}${index}`, content)).flat();

/** A reply that says that the context holds so many tokens. */
export const counted = (tokens: number): Usage => ({ ...NO_USAGE, input_tokens: tokens });

export const chars = (count: number): string => 'x'.repeat(count);

export const image: Extract<Block, { type: 'image' }> = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
};

export const NOTHING_DECIDED: ResultDecisions = { replacements: new Map(), seen: () => false };

/** Content of the results, by call id. */
export function contents(messages: readonly ContextMessage[]): Record<string, unknown> {
  return Object.fromEntries(
    messages.flatMap(({ content }) =>
      content.flatMap((one) =>
        one.type === 'tool_result' ? [[one.tool_use_id, one.content]] : [],
      ),
    ),
  );
}

export const uuids = (messages: readonly ContextMessage[]): readonly string[] =>
  messages.map(({ uuid }) => uuid);

export const textOf = (message: ContextMessage | undefined): string => {
  const [first] = message?.content ?? [];
  return first?.type === 'text' ? first.text : '';
};

/** Calls whose result is gone and results whose call is gone. */
export function splitPairs(messages: readonly ContextMessage[]): readonly string[] {
  const ids = (type: 'tool_use' | 'tool_result') =>
    messages.flatMap(({ content }) =>
      content.flatMap((one) => {
        if (one.type === 'tool_use' && type === 'tool_use') return [one.id];
        if (one.type === 'tool_result' && type === 'tool_result') return [one.tool_use_id];
        return [];
      }),
    );
  const calls = new Set(ids('tool_use'));
  const results = new Set(ids('tool_result'));
  return [...calls, ...results].filter((id) => !calls.has(id) || !results.has(id));
}
