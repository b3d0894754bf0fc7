import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TranscriptRecord } from '../../transcript/record';
import { sampled, single } from '../figure';
import { GOALS } from '../goals';
import { largeResultTurns } from '../model/large-results';
import type { Arrival, Prefix } from '../model/model-message';
import type { Size } from '../options';
import { runTurns } from '../our-turns';
import type { Measured } from '../report';
import type { Rig } from '../rig';
import { whileServed } from '../served';

/** How many requests begin with the bytes of the one before, so that a server's prompt cache serves them. */
export async function measurePrefix(rig: Rig, size: Size): Promise<Measured> {
  const { prefixTurns: turns } = size;
  const replies = largeResultTurns(turns, join(rig.project, 'files'));
  const { arrivals, summaries, session } = await whileServed(rig, ({ pid }) =>
    runTurns(rig, { workerPid: pid, turns, replies, comparesPrefixes: true }),
  );
  const continued = arrivals.flatMap((arrival) =>
    arrival.followsSummary ? [] : prefixOf(arrival),
  );
  const asked = summaries.flatMap(prefixOf);
  const keepsMessages = ({ keepsMessages: keeps }: Prefix): boolean => keeps;
  return {
    figures: [
      single(
        'requests that begin with the messages of the one before',
        '%',
        percentOf(continued, keepsMessages),
        GOALS.keptPrefixPercent,
      ),
      single(
        'requests with the same model, tools and system prompt',
        '%',
        percentOf(continued, ({ keepsStart }) => keepsStart),
        GOALS.keptPrefixPercent,
      ),
      single('requests compared', 'requests', continued.length),
      single(
        'results replaced by a preview',
        'times',
        replacedIn(session.store.transcriptPath),
        GOALS.someOf,
      ),
      single('compactions', 'times', summaries.length),
      ...(asked.length === 0
        ? []
        : [single('requests for a summary that begin so', '%', percentOf(asked, keepsMessages))]),
      sampled(
        'request',
        'KB',
        arrivals.map(({ bodyBytes }) => bodyBytes / 1_000),
      ),
    ],
    curves: [],
    notes: [
      `${turns} turns: a Read of 5,000 bytes each, and in every tenth ten commands at once whose results have 250,000 characters together: the budget for one message is 200,000.`,
      'Compared as bytes on the wire, request by request; the first request and those right after a compaction have nothing to continue.',
    ],
  };
}

const prefixOf = ({ prefix }: Arrival): readonly Prefix[] => (prefix === null ? [] : [prefix]);

const percentOf = (prefixes: readonly Prefix[], isSo: (prefix: Prefix) => boolean): number =>
  (prefixes.filter(isSo).length / prefixes.length) * 100;

function replacedIn(transcriptPath: string): number {
  const lines = readFileSync(transcriptPath, 'utf8').split('\n').filter(Boolean);
  return lines
    .map((line) => (JSON.parse(line) as TranscriptRecord).everloop?.decided?.replacements ?? {})
    .reduce((sum, replacements) => sum + Object.keys(replacements).length, 0);
}
