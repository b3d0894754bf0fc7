/** Ids become file names, and some come from command lines: nothing may lead out of its folder. */
const SAFE = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

export function isFileName(id: string): boolean {
  return SAFE.test(id);
}

export function requireFileName(id: string): string {
  if (isFileName(id)) return id;
  throw new Error(
    `The id ${JSON.stringify(id.slice(0, 140))} cannot name a file. Use up to 128 letters, digits, ".", "_", "-", such as a UUID.`,
  );
}
