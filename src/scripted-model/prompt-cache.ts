import type { Range } from './request-outline';
import type { ScriptedRequest } from './scripted-request';

/** What a prompt costs before the reply, in tokens of four bytes. The three counts add up to the whole request. */
export interface PromptUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

/** Enough for a few conversations to take turns; each entry holds a whole prompt. */
const KEPT_PROMPTS = 4;

const MARK = Buffer.from('"cache_control"');

/** Prompt caching, as far as usage shows it: a prompt is written up to its last mark, and a later one that begins
 *  with the same bytes up to one of those marks reads them. Time, block limits and minimum sizes are left out. */
export class PromptCache {
  readonly #kept: Prompt[] = [];

  usageOf(request: ScriptedRequest): PromptUsage {
    const total = tokensOf(request.rawBody.length);
    // Inside a string the quotes would be escaped: without this text there is no mark.
    if (!request.rawBody.includes(MARK)) return split(total, 0, 0);
    const prompt = promptOf(request);
    const written = prompt.marks.at(-1) ?? 0;
    const read = Math.max(0, ...this.#kept.map((kept) => commonMark(kept, prompt)));
    this.#kept.unshift({ ...prompt, bytes: prompt.bytes.subarray(0, written) });
    this.#kept.length = Math.min(this.#kept.length, KEPT_PROMPTS);
    return split(total, read, written);
  }
}

/** A request in the order in which the model reads it, without the marks. */
interface Prompt {
  readonly bytes: Buffer;
  /** Ends of marked prefixes, ascending. */
  readonly marks: readonly number[];
}

function promptOf(request: ScriptedRequest): Prompt {
  const { fields, cacheMarks } = request.outline;
  const pieces: Buffer[] = [];
  const marks: number[] = [];
  let length = 0;
  // Another model, or other tools, begins another prefix.
  for (const name of ['model', 'tools', 'system', 'messages']) {
    const [start, end] = fields.get(name) ?? [0, 0];
    const inField = cacheMarks.filter(({ mark }) => mark[0] >= start && mark[1] <= end);
    const cuts = inField.map(({ mark }) => mark).sort((a, b) => a[0] - b[0]);
    for (const { objectEnd } of inField) {
      if (objectEnd === null) continue;
      const before = cuts.filter((cut) => cut[0] < objectEnd);
      marks.push(length + objectEnd - start - bytesOf(before));
    }
    let from = start;
    for (const cut of cuts) {
      pieces.push(request.rawBody.subarray(from, cut[0]));
      from = cut[1];
    }
    pieces.push(request.rawBody.subarray(from, end));
    length += end - start - bytesOf(cuts);
  }
  // A mark on the request itself stands for one on its last block.
  if (cacheMarks.some(({ objectEnd }) => objectEnd === null)) marks.push(length);
  return { bytes: Buffer.concat(pieces, length), marks };
}

function bytesOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [start, end]) => sum + end - start, 0);
}

function commonMark(kept: Prompt, prompt: Prompt): number {
  const limit = prompt.marks.at(-1) ?? 0;
  const isShared = (mark: number): boolean =>
    mark <= limit && kept.bytes.compare(prompt.bytes, 0, mark, 0, mark) === 0;
  return kept.marks.findLast(isShared) ?? 0;
}

function split(total: number, readBytes: number, writtenBytes: number): PromptUsage {
  const read = Math.floor(readBytes / 4);
  const created = Math.floor(Math.max(0, writtenBytes - readBytes) / 4);
  return {
    input_tokens: total - read - created,
    cache_creation_input_tokens: created,
    cache_read_input_tokens: read,
  };
}

/** Our measure of a token: four bytes. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / 4);
}
