import type { Line } from './line-reader';
import { scanTranscript, type ScannedLine } from './transcript-scan';
import { fromTranscriptText } from './transcript-line';

export interface Mended {
  readonly kept: readonly Line[];
  /** Lines as they were before they were cut out or changed. */
  readonly replaced: readonly string[];
  /** For people: what was done, in order. */
  readonly steps: readonly string[];
}

/** Makes every line readable and every chain lead to a beginning, and gives up as little as it can. Works in
 *  rounds, because a line that was cut out or saved in one may belong to the append of another, or be its parent. */
export function mendTranscript(lines: readonly Line[]): Mended {
  let mended: Mended = { kept: lines, replaced: [], steps: [] };
  for (const mend of [mendLine, mendLine, mendLink]) {
    const round = { kept: [] as Line[], replaced: [] as string[], steps: [] as string[] };
    for (const one of scanTranscript(mended.kept)) {
      const fix = mend(one, round.kept);
      if (fix === null) {
        round.kept.push(one.source);
        continue;
      }
      round.replaced.push(one.source.text);
      round.steps.push(`${fix.step} (byte ${one.source.start})`);
      if (fix.text !== null) round.kept.push({ ...one.source, text: fix.text });
    }
    mended = {
      kept: round.kept,
      replaced: [...mended.replaced, ...round.replaced],
      steps: [...mended.steps, ...round.steps],
    };
  }
  return mended;
}

/** null: the line is sound. `text: null`: it goes. */
type Fix = { readonly step: string; readonly text: string | null } | null;

function mendLine({ source, damages }: ScannedLine): Fix {
  if (damages.has('torn_line')) return { step: 'cut off half a line', text: null };
  if (damages.has('torn_batch')) return { step: 'cut off a line of a torn append', text: null };
  if (damages.has('duplicate_uuid')) return { step: 'cut out a repeated uuid', text: null };
  if (damages.has('unparsable_line')) {
    const saved = wholeObjectIn(source.text);
    return saved === null
      ? { step: 'cut out an unreadable line', text: null }
      : { step: 'saved the record behind half a line', text: saved };
  }
  if (damages.has('incomplete_batch')) {
    return { step: 'took a record out of its incomplete append', text: withoutKey(source.text) };
  }
  return null;
}

function mendLink({ source, line, damages }: ScannedLine, before: readonly Line[]): Fix {
  if (!damages.has('missing_parent') && !damages.has('circular_chain')) return null;
  const parentUuid = lastOfMainChain(before);
  const step = `chained ${line?.uuid ?? ''} to ${parentUuid ?? 'nothing'} instead of ${line?.parentUuid ?? 'nothing'}`;
  return { step, text: rewrite(source.text, (json) => ({ ...json, parentUuid })) };
}

function lastOfMainChain(lines: readonly Line[]): string | null {
  for (const { text } of lines.toReversed()) {
    const record = fromTranscriptText(text)?.record;
    if (record !== null && record !== undefined && !record.isSidechain) return record.uuid;
  }
  return null;
}

/** The object that ends a line which begins with the torn rest of another. */
function wholeObjectIn(text: string): string | null {
  for (let at = text.indexOf('{"', 1); at >= 0; at = text.indexOf('{"', at + 1)) {
    const rest = text.slice(at);
    if (fromTranscriptText(rest)?.uuid) return rest;
  }
  return null;
}

function withoutKey(text: string): string {
  const everloop = { ...fromTranscriptText(text)?.record?.everloop };
  delete everloop.key;
  delete everloop.batch;
  return rewrite(text, (json) => ({ ...json, everloop }));
}

function rewrite(text: string, change: (json: object) => object): string {
  return JSON.stringify(change(JSON.parse(text) as object));
}
