import { DefaultLogger, Runtime, makeTelemetryFilterString } from '@temporalio/worker';

let isInstalled = false;

/** Errors only: what tests stop, terminate and break on purpose is no news. */
export function installQuietRuntime(): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
  });
}
