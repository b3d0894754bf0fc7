/** A page that was read, as text. */
export interface CachedPage {
  readonly status: number;
  readonly statusText: string;
  readonly bytes: number;
  readonly text: string;
}

const FRESH_MS = 15 * 60_000;
const MOST_CHARS = 20_000_000;

/** Pages by their URL, for a quarter of an hour: several questions about one page fetch it once. */
export class PageCache {
  readonly #pages = new Map<string, { readonly atMs: number; readonly page: CachedPage }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  find(url: string): CachedPage | undefined {
    const found = this.#pages.get(url);
    return found !== undefined && this.#now() - found.atMs < FRESH_MS ? found.page : undefined;
  }

  keep(url: string, page: CachedPage): void {
    this.#pages.delete(url);
    this.#pages.set(url, { atMs: this.#now(), page });
    let chars = 0;
    for (const [key, kept] of [...this.#pages].reverse()) {
      chars += kept.page.text.length;
      if (chars > MOST_CHARS || this.#now() - kept.atMs >= FRESH_MS) this.#pages.delete(key);
    }
  }
}
