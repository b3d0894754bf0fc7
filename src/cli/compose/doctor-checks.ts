import { probeCli, type TemporalCli } from '../../server/temporal-cli';
import { cachedBinary, GO_VERSION, RELEASE_VERSION } from '../../server/download-cli';
import { findServer, serverStatus } from '../../server/local-server';
import { connectTemporal } from '../../temporal/connect';
import { missingSearchAttributes } from '../../visibility/register-attributes';
import type { Check } from '../doctor/check';
import * as checks from '../doctor/checks';
import { encryptionCheck } from '../doctor/encryption-check';
import { sandboxCheck } from '../doctor/sandbox-check';
import { storeCheck } from '../doctor/store-check';
import { transcriptsCheck } from '../doctor/transcripts-check';
import type { ThisProcess } from './this-process';

/** What `everloop doctor` looks at, in the order of its report. */
export function doctorChecks(here: ThisProcess): readonly Check[] {
  const { config } = here;
  return [
    checks.nodeCheck(process.versions.node),
    checks.homeCheck(config.home),
    checks.diskCheck(config.home),
    checks.cliCheck(config, () => findCli(here)),
    checks.serverCheck(config, () => serverStatus(config.home)),
    checks.searchAttributesCheck(() => searchAttributesProblem(here)),
    checks.credentialsCheck(config),
    checks.pricesCheck(config.home),
    encryptionCheck(config),
    sandboxCheck(process.env['PATH'] ?? ''),
    config.store === null
      ? transcriptsCheck(async () => (await here.host()).store)
      : storeCheck(config.store, config.home),
  ];
}

/** undefined: no server runs, and a check starts none. */
async function searchAttributesProblem(here: ThisProcess): Promise<string | null | undefined> {
  const { hasTemporalAddress, home } = here.config;
  if (!hasTemporalAddress && (await findServer(home)) === undefined) return undefined;
  const connected = await connectTemporal(here.config, here.cliSearch());
  const { connection, client } = connected;
  const { operatorService, workflowService } = connection;
  const name = client.options.namespace;
  const problem = await missingSearchAttributes({ name, operatorService, workflowService });
  await connected.close();
  return problem;
}

/** A look, no download: a check must not change what it looks at. */
async function findCli(here: ThisProcess): Promise<TemporalCli | undefined> {
  const { configured, cacheFolder } = here.cliSearch();
  const cached = [RELEASE_VERSION, GO_VERSION].map((one) => cachedBinary(cacheFolder, one));
  for (const binary of configured === null ? ['temporal', ...cached] : [configured]) {
    const cli = await probeCli(binary).catch(() => undefined);
    if (cli) return cli;
  }
  return undefined;
}
