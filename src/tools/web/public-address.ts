import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Whether an address is one that anybody on the internet can reach: neither this machine nor a network around it. */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (parsed === null) return false;
  const range = parsed.range();
  // Networks without IPv4 reach it so: what counts is the address inside.
  if (range === 'rfc6052') return isPublicAddress(embeddedIPv4(parsed));
  return range === 'unicast';
}

export function isLoopbackAddress(address: string): boolean {
  return parse(address)?.range() === 'loopback';
}

/** The address that a host of a URL spells out; null: it is a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

/** IPv4 in the dress of IPv6 counts as what it is. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return ipaddr.isValid(address) ? ipaddr.process(address) : null;
}

const embeddedIPv4 = (address: ipaddr.IPv4 | ipaddr.IPv6): string =>
  address.toByteArray().slice(-4).join('.');
