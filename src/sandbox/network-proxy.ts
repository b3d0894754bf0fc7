import { lookup } from 'node:dns/promises';
import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import ipaddr from 'ipaddr.js';
import { isAllowedDestination, isSpeltOut, type Destination } from './domain-rule';
import type { NetworkSettings } from './sandbox-settings';

type Lists = Pick<NetworkSettings, 'allowedDomains' | 'deniedDomains'>;

/** An HTTP proxy (CONNECT, and plain HTTP) that goes where the lists allow. It resolves names itself: what a command
 *  says about addresses is nothing. It does not listen; connections are given to it (`emit('connection')`). */
export function createNetworkProxy(lists: Lists): Server {
  const server = createServer((incoming, response) => void passOn(lists, incoming, response));
  server.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    void tunnel(lists, incoming, { socket, head });
  });
  return server;
}

class Refusal extends Error {
  constructor(
    readonly status: 400 | 403 | 502,
    message: string,
  ) {
    super(message);
  }
}

async function tunnel(
  lists: Lists,
  { url = '' }: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): Promise<void> {
  socket.on('error', () => undefined);
  try {
    const destination = toDestination(`http://${url}`, 443);
    const upstream = connect({ host: await addressOf(destination, lists), port: destination.port });
    await connected(upstream, destination);
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
    upstream.once('close', () => socket.destroy());
    socket.once('close', () => upstream.destroy());
  } catch (error) {
    const { status, message } = toRefusal(error);
    const body = `${message}\n`;
    socket.end(
      `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
}

async function passOn(
  lists: Lists,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { url = '', method = 'GET', headers } = incoming;
    const destination = toDestination(url, 80);
    const { pathname, search } = new URL(url);
    const upstream = request({
      host: await addressOf(destination, lists),
      port: destination.port,
      method,
      path: `${pathname}${search}`,
      headers: { ...withoutProxyHeaders(headers), host: hostHeaderOf(destination) },
      setHost: false,
      agent: false,
    });
    upstream.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.once('error', (error) => refuse(response, error));
    response.once('close', () => upstream.destroy());
    incoming.pipe(upstream);
  } catch (error) {
    refuse(response, error);
  }
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, message } = toRefusal(error);
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { 'content-type': 'text/plain' }).end(`${message}\n`);
}

/** The lists have spoken about a host; another in the header would be answered by the same machine. */
const hostHeaderOf = ({ host, port }: Destination): string => {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return port === 80 ? name : `${name}:${port}`;
};

function withoutProxyHeaders(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('proxy-')));
}

function toDestination(text: string, usualPort: number): Destination {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' || url.hostname === '') {
    throw new Refusal(400, `The sandbox's proxy does not know where "${text.slice(0, 200)}" is.`);
  }
  // A URL leaves out the port that is usual for its protocol.
  const port = url.port === '' ? (/:80$/.test(text) ? 80 : usualPort) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port };
}

/** Fails: Refusal. */
async function addressOf(destination: Destination, lists: Lists): Promise<string> {
  const { host, port } = destination;
  if (!isAllowedDestination(destination, lists)) {
    throw new Refusal(
      403,
      `The sandbox does not let commands reach ${host}:${port}. ` +
        `To allow it, add "${host}" to sandbox.network.allowedDomains of the settings.`,
    );
  }
  const found = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host }];
  const mayBeHere = isSpeltOut(destination, lists.allowedDomains) && isNamedAsHere(host);
  const address = found.map((each) => each.address).find((each) => mayBeHere || !isHere(each));
  if (address !== undefined) return address;
  throw new Refusal(
    403,
    `The sandbox does not let commands reach ${host}:${port}: it leads to this machine (${found[0]?.address ?? 'no address'}). ` +
      'To allow that, name localhost or the address itself in sandbox.network.allowedDomains.',
  );
}

const isNamedAsHere = (host: string): boolean => isIP(host) !== 0 || /^localhost\.?$/i.test(host);

/** This machine, or what only it can see. The server and its neighbours trust whoever comes from here. */
function isHere(address: string): boolean {
  const range = ipaddr.process(address).range();
  if (['loopback', 'linkLocal', 'unspecified', 'broadcast', 'multicast'].includes(range))
    return true;
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return own.some((each) => each.address === address);
}

function connected(socket: Socket, { host, port }: Destination): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.on('error', (error) => reject(new Refusal(502, `${host}:${port}: ${error.message}`)));
  });
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(502, error instanceof Error ? error.message : String(error));
}
