import { searchesOf, type Usage } from './usage';

/** The day of the newest published price in the table. */
export const PRICES_AS_OF = '2025-11-24';

/** USD per million tokens. Source: the published prices of the 3.5 to 4.5 families; newer ones are assumed to
 *  cost what their family does. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
}

export interface ModelFacts {
  readonly price: Price;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

/** A cache write costs 1.25 times an input token, a cache read a tenth of one. */
const price = (input: number, output: number): Price => ({
  input,
  output,
  cacheWrite: input * 1.25,
  cacheRead: input * 0.1,
});

const facts = (of: Price, maxOutputTokens: number): ModelFacts => ({
  price: of,
  contextWindow: 200_000,
  maxOutputTokens,
});

const BY_FAMILY: readonly (readonly [RegExp, ModelFacts])[] = [
  [/opus-(4-[5-9]|[5-9])/, facts(price(5, 25), 64_000)],
  [/opus/, facts(price(15, 75), 32_000)],
  [/haiku-[4-9]/, facts(price(1, 5), 64_000)],
  [/haiku/, facts(price(0.8, 4), 8_000)],
  [/sonnet/, facts(price(3, 15), 64_000)],
];

/** Source: the published price, 10 USD for 1,000. */
const USD_PER_SEARCH = 0.01;

/** Unknown models are priced as the middle family: a wrong figure is better than a free one for a budget. */
export function factsOfModel(model: string): ModelFacts {
  const found = BY_FAMILY.find(([family]) => family.test(model));
  return found?.[1] ?? facts(price(3, 15), 64_000);
}

/** USD, by the table. */
export function costOf(model: string, usage: Usage): number {
  return costAt(factsOfModel(model).price, usage);
}

/** USD. */
export function costAt(per: Price, usage: Usage): number {
  const total =
    usage.input_tokens * per.input +
    usage.output_tokens * per.output +
    usage.cache_creation_input_tokens * per.cacheWrite +
    usage.cache_read_input_tokens * per.cacheRead;
  return total / 1_000_000 + searchesOf(usage) * USD_PER_SEARCH;
}

/** A dated name is a name of the same model. */
export const withoutDate = (model: string): string => model.replace(/-\d{8}$/, '');
