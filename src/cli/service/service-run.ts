import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { CONFIG_VARIABLES, type Config } from '../../config';
import type { ServiceRun } from './unit';

/** Names that are no configuration of ours and yet decide what a Worker does. */
const BESIDE = /^(PATH|LANG|LC_.*|TEMPORAL_.*)$/;
const SECRET = /(KEY|TOKEN|SECRET|PASSWORD)/;

/** The background Worker of this environment as a service. The user's usual home has the plain name. */
export function toServiceRun(
  { home, userHome, baseUrl }: Pick<Config, 'home' | 'userHome' | 'baseUrl'>,
  environment: Readonly<Record<string, string | undefined>>,
): ServiceRun {
  const isUsual = home === join(userHome, '.everloop');
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 8);
  return {
    name: isUsual ? 'everloop' : `everloop-${hash}`,
    node: process.execPath,
    launcher: resolve(__dirname, '..', '..', '..', 'bin', 'everloop'),
    environment: { ...kept(environment), EVERLOOP_HOME: home, ANTHROPIC_BASE_URL: baseUrl },
    secretsFile: join(home, 'service.env'),
    logFile: join(home, 'service.log'),
  };
}

/** What is set and not secret. */
function kept(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const ours = new Set(CONFIG_VARIABLES.map(({ name }) => name));
  const entries = Object.entries(environment).flatMap(([name, value]) => {
    const isWanted = (ours.has(name) || BESIDE.test(name)) && !isSecret(name);
    return isWanted && value !== undefined && value !== '' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

function isSecret(name: string): boolean {
  const variable = CONFIG_VARIABLES.find((one) => one.name === name);
  return variable === undefined ? SECRET.test(name) : variable.unit === 'secret';
}
