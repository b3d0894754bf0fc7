import type { NetworkSettings } from './sandbox-settings';

/** What `network-launcher` does. JSON. */
export interface LaunchOrder {
  readonly program: string;
  /** For bubblewrap, each ended by NUL. */
  readonly argsFile: string;
  /** null: no filter. */
  readonly filterFile: string | null;
  readonly network: NetworkSettings;
}

const HTTP_PORT = 3128;
const SOCKS_PORT = 1080;

/** Ports of the sandbox's own loopback at which a proxy answers; none: the command has no network. */
export function listensOn({
  allowedDomains,
  httpProxyPort,
  socksProxyPort,
}: NetworkSettings): readonly { readonly port: number; readonly forwardsTo: number | null }[] {
  const hasHttp = allowedDomains.length > 0 || httpProxyPort !== null;
  return [
    ...(hasHttp ? [{ port: HTTP_PORT, forwardsTo: httpProxyPort }] : []),
    ...(socksProxyPort === null ? [] : [{ port: SOCKS_PORT, forwardsTo: socksProxyPort }]),
  ];
}

/** By which programs find the proxy. */
export function proxyVariables(network: NetworkSettings): Readonly<Record<string, string>> {
  const ports = listensOn(network).map(({ port }) => port);
  const http = `http://127.0.0.1:${HTTP_PORT}`;
  const local = 'localhost,127.0.0.1,::1';
  return {
    ...(ports.includes(HTTP_PORT) && {
      HTTP_PROXY: http,
      HTTPS_PROXY: http,
      http_proxy: http,
      https_proxy: http,
      NO_PROXY: local,
      no_proxy: local,
      // For programs of Node, which do not look at the others by themselves.
      NODE_USE_ENV_PROXY: '1',
    }),
    ...(ports.includes(SOCKS_PORT) && { ALL_PROXY: `socks5h://127.0.0.1:${SOCKS_PORT}` }),
  };
}
