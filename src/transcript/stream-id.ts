/** Names one model stream: an Activity attempt may restart its stream, a retry is another attempt.
 *  `<run id, first 8>:<activity id>:<attempt>:<stream>`; the pieces are compared as a whole, never parsed. */
export type StreamId = string;

export function streamId(of: {
  runId: string;
  activityId: string;
  attempt: number;
  stream: number;
}): StreamId {
  return `${of.runId.slice(0, 8)}:${of.activityId}:${of.attempt}:${of.stream}`;
}
