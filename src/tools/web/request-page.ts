import type { LookupAddress } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { ToolError } from '../tool';
import { isLoopbackAddress, isPublicAddress, literalAddress } from './public-address';

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface WebAccess {
  /** Ports of this machine that may be asked, over plain HTTP: for tests and for servers under development. */
  readonly loopbackPorts: readonly number[];
  readonly resolve: Resolve;
}

/** Sends one GET, to an address that was checked: the name is resolved once, and the connection goes to what was
 *  looked at, so that a name that changes its mind in between gains nothing. Redirects are not followed.
 *  Fails: ToolError for what may not be asked, and when nobody answers. */
export async function requestPage(
  url: URL,
  { loopbackPorts, resolve }: WebAccess,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const isAllowed = loopbackPorts.includes(portOf(url)) ? isLoopbackAddress : isPublicAddress;
  const literal = literalAddress(url.hostname);
  if (literal !== null && !isAllowed(literal)) throw refused(url.hostname, literal);
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    checkedAddresses(hostname, resolve, isAllowed).then(
      (addresses) => {
        const [first] = addresses;
        if (all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, ''),
    );
  };
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((settle, reject) => {
    // No shared agent: a kept connection could lead elsewhere than the address that is checked now.
    request(url, { agent: false, lookup, signal, headers: HEADERS }, settle)
      .on('error', reject)
      .end();
  });
}

const HEADERS = {
  'user-agent': 'everloop (WebFetch)',
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
};

export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

/** One bad address spoils the name: which of them would be tried is not ours to say. */
async function checkedAddresses(
  hostname: string,
  resolve: Resolve,
  isAllowed: (address: string) => boolean,
): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await resolve(hostname);
  if (first === undefined) throw new ToolError(`${hostname} has no address.`);
  const bad = [first, ...others].find(({ address }) => !isAllowed(address));
  if (bad !== undefined) throw refused(hostname, bad.address);
  return [first, ...others];
}

const refused = (hostname: string, address: string): ToolError =>
  new ToolError(
    `${hostname} leads to ${address}, which is no public address of the internet: this machine and the networks around it are not fetched from. If the user wants it, use curl in Bash.`,
  );
