import { inflateRawSync, inflateSync } from 'node:zlib';

/** Deeper nothing is packed: a payload in a message in a row. */
const DEEPEST = 4;
/** Shorter runs of base64 or hex cannot hold a marker. */
const PACKED_TEXT = /[A-Za-z0-9+/_-]{16,}/g;
const HEX_TEXT = /(?:[0-9a-fA-F]{2}){8,}/g;
const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
/** Of those that name no file, as programs write them. */
const GZIP_HEAD_BYTES = 10;
const ZLIB = [0x01, 0x5e, 0x9c, 0xda].map((level) => Buffer.from([0x78, level]));

/** Which of the markers the bytes hold: as they are, as UTF-16, as base64 or hex, within gzip or zlib, and each of
 *  these within the others. Letter case does not matter. */
export function findMarkers(bytes: Buffer, markers: readonly string[]): readonly string[] {
  const found = new Set<string>();
  search(bytes, { markers, found, depth: 0 });
  return [...found];
}

interface Search {
  readonly markers: readonly string[];
  readonly found: Set<string>;
  readonly depth: number;
}

function search(bytes: Buffer, at: Search): void {
  const latin = bytes.toString('latin1');
  const lower = latin.toLowerCase();
  const narrow = lower.replaceAll('\0', '');
  for (const marker of at.markers) {
    const word = marker.toLowerCase();
    if (lower.includes(word) || narrow.includes(word)) at.found.add(marker);
  }
  if (at.depth === DEEPEST) return;
  const next = { ...at, depth: at.depth + 1 };
  for (const packed of unpacked(bytes, latin)) search(packed, next);
}

function* unpacked(bytes: Buffer, latin: string): Generator<Buffer, void> {
  for (const [run] of latin.matchAll(PACKED_TEXT)) {
    // What comes before may belong to it or not, so it may begin at any of four.
    for (let shift = 0; shift < 4; shift += 1) {
      yield Buffer.from(run.slice(shift), 'base64');
    }
  }
  for (const [run] of latin.matchAll(HEX_TEXT)) yield Buffer.from(run, 'hex');
  // What comes behind the end of one does not matter, as it would to gunzip.
  yield* inflated(bytes, [GZIP], (packed, options) =>
    inflateRawSync(packed.subarray(GZIP_HEAD_BYTES), options),
  );
  yield* inflated(bytes, ZLIB, inflateSync);
}

function* inflated(
  bytes: Buffer,
  heads: readonly Buffer[],
  inflate: (packed: Buffer, options: object) => Buffer,
): Generator<Buffer, void> {
  for (const head of heads) {
    for (let from = bytes.indexOf(head); from >= 0; from = bytes.indexOf(head, from + 1)) {
      try {
        yield inflate(bytes.subarray(from), { finishFlush: 2, maxOutputLength: 64 << 20 });
      } catch {
        // It only looked like it.
      }
    }
  }
}

/** The same without looking into what is packed but base64 and hex: for large files. */
export function findPlainly(bytes: Buffer, markers: readonly string[]): readonly string[] {
  return markers.filter((marker) => formsOf(marker).some((form) => bytes.includes(form)));
}

function formsOf(marker: string): readonly Buffer[] {
  const word = Buffer.from(marker);
  const encoded = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), word])
      .toString('base64')
      .replaceAll('=', '');
    // The first and last characters also hold bits of the neighbours.
    return Buffer.from(text.slice(shift === 0 ? 0 : shift + 1, -1));
  });
  return [word, ...encoded, Buffer.from(word.toString('hex'))];
}
