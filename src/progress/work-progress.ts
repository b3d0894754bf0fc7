import { elapsed } from '../terminal/elapsed';
import { Eta, leftText } from './eta';
import type { Shown, StatusLine } from './status-line';

export interface WorkOptions {
  /** "crash test": what the line begins with. */
  readonly title: string;
  /** What is counted: "kills", "s". null: parts that nobody would count, so that the percentage says it all. */
  readonly unit: string | null;
  /** What a failure is called: "broken". */
  readonly failure: string;
  /** So few are no evidence of the pace, as when so many run side by side. Default: any. */
  readonly leastDone?: number;
  /** ms; any clock that does not jump. */
  readonly now?: () => number;
}

const DRAW_EVERY_MS = 100;
const TICK_MS = 1_000;

/** Work of many like parts on a status line: how far it is, how long it took and will take, and what went wrong. */
export class WorkProgress {
  readonly #line: StatusLine;
  readonly #options: WorkOptions;
  readonly #now: () => number;
  readonly #startedAtMs: number;
  readonly #ticker: NodeJS.Timeout;
  #eta: Eta;
  /** null: it is not known yet. */
  #total: number | null = null;
  #done = 0;
  #failures = 0;
  #doing = '';
  #drawnAtMs = -Infinity;

  constructor(line: StatusLine, options: WorkOptions) {
    this.#line = line;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#startedAtMs = this.#now();
    this.#eta = this.#newEta();
    this.#ticker = setInterval(() => this.#draw(), TICK_MS).unref();
  }

  /** There is so much to do, from now on. */
  begin(total: number): void {
    this.#total = total;
    this.#eta = this.#newEta();
    this.#draw();
  }

  /** So much is done. `doing`: now, or last. */
  at(done: number, doing: string = this.#doing): void {
    if (done !== this.#done) this.#eta.saw(done, this.#now());
    this.#done = done;
    this.#doing = doing;
    if (this.#now() - this.#drawnAtMs >= DRAW_EVERY_MS) this.#draw();
  }

  /** What is done now. A log gets it as a line of its own. */
  doing(text: string): void {
    this.#doing = text;
    if (this.#line.isRewritten) this.#draw();
    else this.#line.say(text);
  }

  /** Prints a line that stays. */
  say(line: string): void {
    this.#line.say(line);
  }

  failed(): void {
    this.#failures += 1;
  }

  /** For what is printed to another stream that may be the same terminal. */
  clear(): void {
    this.#line.clear();
  }

  end(): void {
    clearInterval(this.#ticker);
    this.#line.close();
  }

  #newEta(): Eta {
    return new Eta(this.#now(), this.#options.leastDone);
  }

  #draw(): void {
    this.#drawnAtMs = this.#now();
    this.#line.show(this.#shown(this.#drawnAtMs));
  }

  #shown(nowMs: number): Shown {
    const { title, unit, failure } = this.#options;
    const total = this.#total;
    const left = total === null ? null : this.#eta.leftMs(total, nowMs);
    const part = total === null ? null : this.#done / total;
    const head = [
      [title, ...countOf(this.#done, total, unit)].join(' '),
      elapsed(nowMs - this.#startedAtMs),
      ...(left === null ? [] : [leftText(left)]),
      ...(this.#failures === 0 ? [] : [`${this.#failures} ${failure}`]),
    ];
    const tone = this.#failures > 0 ? 'failed' : 'calm';
    return { head: head.join(' · '), body: this.#doing, tail: '', part, tone };
  }
}

function countOf(done: number, total: number | null, unit: string | null): readonly string[] {
  if (total === null) return [];
  const percent = `${Math.floor((100 * done) / total)} %`;
  return unit === null
    ? [percent]
    : [`${Math.round(done)} of ${Math.round(total)} ${unit} (${percent})`];
}
