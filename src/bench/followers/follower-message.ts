/** What a process of followers is told first; its end is the end of its channel. */
export interface FollowOrder {
  readonly home: string;
  readonly projectsFolder: string;
  readonly sessionId: string;
  readonly followers: number;
}

/** What it tells: `following` when each has seen the session's first entry, and how late each delta came to each. */
export type FollowerMessage =
  | { readonly type: 'following' }
  | { readonly type: 'delays'; readonly delaysMs: readonly number[] };
