/** What others cost for the same work, measured on another day; ours is measured anew by each run. */
export const PEERS_MEASURED_ON = '2026-11-21';

/** Setting: N one-tool turns with 5 KB tool results, Temporal dev server 1.32.0 with short polling intervals,
 *  integrations 1.23.0, Node 24, two shared cores, JSON answers without delay. Medians of three runs. */
export interface Peer {
  readonly name: string;
  readonly runs: readonly PeerRun[];
}

export interface PeerRun {
  readonly turns: number;
  /** Average over the run. */
  readonly kbPerTurn: number;
  readonly firstTenMs: number;
  readonly lastTenMs: number;
}

const run = (turns: number, kbPerTurn: number, firstTenMs: number, lastTenMs: number): PeerRun => ({
  turns,
  kbPerTurn,
  firstTenMs,
  lastTenMs,
});

export const PEERS: readonly Peer[] = [
  {
    // The server ended the run of 100 at turn 91: its history had passed 50 MB.
    name: '@temporalio/ai-sdk',
    runs: [run(10, 125.8, 66.8, 66.8), run(50, 352.2, 73.7, 150.3), run(91, 581.9, 59.3, 222)],
  },
  {
    name: 'openai-agents',
    runs: [run(10, 71.4, 66.5, 66.5), run(50, 195.2, 70.3, 101.5), run(100, 352.5, 61.3, 222)],
  },
  {
    name: 'hand-written loop',
    runs: [run(10, 65.5, 45.9, 45.9), run(50, 178.2, 42.1, 90), run(100, 321.3, 43.6, 137.4)],
  },
];
