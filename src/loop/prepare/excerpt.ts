/** The first characters of a text. Never half of a surrogate pair: the API refuses a request that holds one. */
export function firstChars(text: string, chars: number): string {
  const isHalved = isHighSurrogate(text.charCodeAt(chars - 1));
  return text.slice(0, isHalved ? chars - 1 : chars);
}

/** The last characters of a text, by the same rule. */
export function lastChars(text: string, chars: number): string {
  const from = Math.max(0, text.length - chars);
  const isHalved = isHighSurrogate(text.charCodeAt(from - 1));
  return text.slice(isHalved ? from + 1 : from);
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
