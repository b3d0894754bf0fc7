/** A place that a command wants to reach. */
export interface Destination {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Whether the lists let a command go there. Entries: `example.com`, `*.example.com` for everything below it, `*` for
 *  all, each with `:port` if only that one is meant. A denial is stronger. */
export function isAllowedDestination(
  destination: Destination,
  lists: { readonly allowedDomains: readonly string[]; readonly deniedDomains: readonly string[] },
): boolean {
  const fits = (entry: string): boolean => isNamedBy(entry, destination);
  return lists.allowedDomains.some(fits) && !lists.deniedDomains.some(fits);
}

/** Whether an entry spells the host out, so that it may be one of this machine. */
export function isSpeltOut({ host }: Destination, allowedDomains: readonly string[]): boolean {
  return allowedDomains.some((entry) => hostOf(entry).host === plain(host));
}

function isNamedBy(entry: string, { host, port }: Destination): boolean {
  const named = hostOf(entry);
  if (named.port !== null && named.port !== port) return false;
  const name = plain(host);
  if (named.host === '*') return true;
  if (named.host.startsWith('*.')) return name.endsWith(named.host.slice(1));
  return named.host === name;
}

function hostOf(entry: string): { readonly host: string; readonly port: number | null } {
  const match = /^(?<host>\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(?<port>\d+))?$/.exec(entry.trim());
  const { host = entry, port } = match?.groups ?? {};
  return { host: plain(host), port: port === undefined ? null : Number(port) };
}

/** A dot at the end names the same host. */
const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
