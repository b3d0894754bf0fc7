/** Keeps the first megabyte; the rest is taken and dropped, so that the writer is never held up. */
const LIMIT_BYTES = 1024 ** 2;

export class LimitedOutput {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  take(chunk: Uint8Array): void {
    const kept = chunk.subarray(0, LIMIT_BYTES - this.#bytes);
    if (kept.length === 0) return;
    this.#chunks.push(kept);
    this.#bytes += kept.length;
  }

  get text(): string {
    // `stream`: half a character at the cut is left out.
    return new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: true });
  }
}
