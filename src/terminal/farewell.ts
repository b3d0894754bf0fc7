/** How a terminal was left. `detached`: the session goes on. */
export interface Left {
  /** null: none was opened. */
  readonly sessionId: string | null;
  readonly detached: boolean;
}

/** What stands in the shell when the terminal is left. */
export function farewell({ sessionId, detached }: Left): string {
  if (sessionId === null) return '';
  const back = `Come back: everloop --resume ${sessionId}\n`;
  if (!detached) return back;
  return `Session ${sessionId} goes on in the background.\nLook at it: everloop attach ${sessionId}\n${back}`;
}
