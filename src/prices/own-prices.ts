import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { ModelOutcome } from '../loop/outcomes';
import { costAt, withoutDate, type Price } from '../loop/price-table';
import type { Usage } from '../loop/usage';
import { errorCode } from '../tools/error-code';

/** Prices that the user wrote down, for models of which the built-in table knows nothing, or something else. */
export class OwnPrices {
  constructor(
    /** Day on which they were true, YYYY-MM-DD. */
    readonly asOf: string,
    readonly models: ReadonlyMap<string, Price>,
  ) {}

  /** USD; undefined: the built-in table counts. A dated name of a model has the price of the model. */
  costOf(model: string, usage: Usage): number | undefined {
    const price = this.models.get(model) ?? this.models.get(withoutDate(model));
    return price && costAt(price, usage);
  }

  /** The same outcome, with what it cost if that is not what the table says. */
  priced(outcome: ModelOutcome): ModelOutcome {
    if (outcome.type !== 'reply') return outcome;
    const costUsd = this.costOf(outcome.model, outcome.usage);
    return costUsd === undefined ? outcome : { ...outcome, costUsd };
  }
}

export const NO_OWN_PRICES = new OwnPrices('', new Map());

const usd = z.number('a number of USD for a million tokens').nonnegative('0 or more');
const PricesFile = z.strictObject({
  date: z.iso.date('a day such as 2026-01-31'),
  models: z.record(
    z.string(),
    z.strictObject({
      input: usd,
      output: usd,
      cacheWrite: usd.optional(),
      cacheRead: usd.optional(),
    }),
  ),
});

export const pricesFile = (home: string): string => path.join(home, 'prices.json');

/** Reads `prices.json` of the home folder: `{"date": "2026-01-31", "models": {"name": {"input": 3, "output": 15}}}`.
 *  Units: USD for a million tokens. Writing to the cache costs 1.25 times the input if the file does not say, reading
 *  from it a tenth.
 *  Fails: Error that names the file, the field and the cure. No file: no own prices. */
export function loadOwnPrices(home: string): OwnPrices {
  const file = pricesFile(home);
  const text = readIfThere(file);
  if (text === undefined) return NO_OWN_PRICES;
  const parsed = PricesFile.safeParse(fromJson(text, file));
  if (!parsed.success) {
    throw new Error(
      `${file} cannot be used:\n${z.prettifyError(parsed.error)}\nCorrect it, or remove it.`,
    );
  }
  const models = Object.entries(parsed.data.models).map(([name, given]): [string, Price] => {
    const { input, output, cacheWrite = input * 1.25, cacheRead = input * 0.1 } = given;
    return [name, { input, output, cacheWrite, cacheRead }];
  });
  return new OwnPrices(parsed.data.date, new Map(models));
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read. Make it a file that you may read, or remove it.`, {
      cause: error,
    });
  }
}

function fromJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} is not JSON: ${reason}. Correct it, or remove it.`, { cause: error });
  }
}
