/** Ids of what bars lead to. `query`: "m1" is the first message of a person, "m1t3c2" the sub-agent of a call. */
export const turnId = (query: string, turn: number): string => `${query}t${turn}`;
export const callId = (query: string, turn: number, index: number): string =>
  `${turnId(query, turn)}c${index + 1}`;
export const queryId = (index: number): string => `m${index + 1}`;
