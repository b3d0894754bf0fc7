/** "85 ms", "4.2 s", "3 min 20 s", "2 h 5 min", "3 d 4 h". */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(Math.round(ms), 0)} ms`;
  if (ms < 59_950) return `${trimmed(ms / 1_000)} s`;
  const s = Math.round(ms / 1_000);
  if (s < 3_600) return twoUnits(s, 60, 'min', 's');
  const min = Math.round(s / 60);
  if (min < 1_440) return twoUnits(min, 60, 'h', 'min');
  return twoUnits(Math.round(min / 60), 24, 'd', 'h');
}

function twoUnits(count: number, per: number, large: string, small: string): string {
  const rest = count % per;
  const whole = `${Math.floor(count / per)} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

const trimmed = (value: number): string => value.toFixed(value < 10 ? 1 : 0).replace(/\.0$/, '');

/** "950", "12.3k", "1.2M". */
export function tokensText(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 999_950) return `${trimmed(tokens / 1_000)}k`;
  return `${trimmed(tokens / 1_000_000)}M`;
}

export const grouped = (count: number): string => count.toLocaleString('en-US');

export const dollars = (usd: number): string => `$${usd.toFixed(usd < 10 ? 4 : 2)}`;

/** "2026-01-31 14:05:09 UTC". */
export const instantText = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : several}`;
