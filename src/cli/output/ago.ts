const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
];

/** How long ago an ISO instant was: "just now", "3 min ago", "5 d ago". */
export function ago(at: string, nowMs: number): string {
  const sinceMs = nowMs - Date.parse(at);
  const unit = UNITS.find(([ms]) => sinceMs >= ms);
  return unit === undefined ? 'just now' : `${Math.floor(sinceMs / unit[0])} ${unit[1]} ago`;
}
