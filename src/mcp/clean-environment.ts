type Environment = Readonly<Record<string, string | undefined>>;

/** What programs need to run at all, to speak the user's language, and to reach the network. Keys and tokens are
 *  not among them: a server gets those that its entry names. */
const INHERITED = new Set([
  ...['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TZ', 'TMPDIR'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
]);

/** The environment of a server's process. */
export function cleanEnvironment(
  env: Environment,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited = Object.entries(env).filter(
    ([name, value]) =>
      value !== undefined && (INHERITED.has(name.toUpperCase()) || name.startsWith('LC_')),
  );
  return { ...(Object.fromEntries(inherited) as Record<string, string>), ...more };
}
