/** Where programs keep keys and passwords, below the user's home. Commands inside do not read them unless
 *  `sandbox.filesystem.allowRead` says so. */
export const SECRET_PLACES: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/gh',
  '.config/op',
  '.kube',
  '.docker/config.json',
  '.netrc',
  '.git-credentials',
  '.config/git/credentials',
  '.pypirc',
  '.npmrc',
  '.cargo/credentials.toml',
  '.password-store',
  '.local/share/keyrings',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  '.claude.json',
];

/** Names of variables whose values are keys or passwords. */
const SECRET_NAME =
  /(?:^|_)(?:TOKEN|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEYS?|ACCESS_?KEYS?|PRIVATE_?KEYS?|SECRET_?KEYS?|AUTH_?TOKEN|PAT)(?:_|$)|^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_SESSION_BUS_ADDRESS)$/i;

/** What a command inside inherits: `/proc` shows every variable of every process. */
export function withoutSecrets(
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !SECRET_NAME.test(name)),
  );
}
