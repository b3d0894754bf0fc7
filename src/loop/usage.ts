/** Tokens of one or more model requests, named as on the wire. All counts are tokens. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  /** What the API did beside; absent: nothing. */
  readonly server_tool_use?: { readonly web_search_requests: number };
}

export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    ...withSearches(searchesOf(a) + searchesOf(b)),
  };
}

export const searchesOf = ({ server_tool_use: used }: Usage): number =>
  used?.web_search_requests ?? 0;

export const withSearches = (count: number): Pick<Usage, 'server_tool_use'> =>
  count === 0 ? {} : { server_tool_use: { web_search_requests: count } };

/** Tokens the next request will carry at least: everything the reply's request held, and the reply. */
export function contextTokensOf(usage: Usage): number {
  return (
    usage.input_tokens +
    usage.cache_creation_input_tokens +
    usage.cache_read_input_tokens +
    usage.output_tokens
  );
}
