import { join } from 'node:path';

/** A home folder in the folder of a Worker, or of whoever works from there. */
export const homeVariables = (home: string) => ({
  EVERLOOP_HOME: join(home, '.everloop'),
  CLAUDE_CONFIG_DIR: join(home, '.claude'),
});

/** What `deploy/worker.env` is to the containers. */
export const modelVariables = (
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        /^(ANTHROPIC_|CLAUDE_CODE_|EVERLOOP_ENCRYPTION_|HTTPS?_PROXY$|NO_PROXY$|NODE_EXTRA_CA_CERTS$)/.test(
          entry[0],
        ) && entry[1] !== undefined,
    ),
  );
