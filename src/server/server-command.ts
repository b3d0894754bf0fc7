import type { ServerPorts } from './server-ports';

/** What the server keeps its promises with (DESIGN: "Local server: settings that matter"). Values are JSON. */
export const DYNAMIC_CONFIG = {
  'system.enableActivityEagerExecution': true,
  'frontend.WorkflowPauseEnabled': true,
  // The defaults poll 20 times a second on the one shard: 50 ms for every dispatch, 100 ms for a turn that else takes 25.
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  'history.visibilityProcessorMaxPollRPS': 2000,
  // The default rounds a retry delay up by as much as a second.
  'history.timerProcessorMaxTimeShift': '10ms',
  // A Worker that is stopped, not dead, keeps its connection, and each of its open polls swallows a task until that
  // times out: 10 s for each. It answers no ping; the default asks after a minute.
  'frontend.keepAliveTime': '2s',
  'frontend.keepAliveTimeout': '3s',
} as const;

/** Durable against a crash of the server, and quick: the default syncs a rollback journal on every write. */
const SQLITE_PRAGMAS = ['journal_mode=wal', 'synchronous=normal'];

/** The arguments that start the dev server on loopback. `searchAttributes` maps a name to its type, such as Keyword. */
export function serverArguments(
  database: string,
  ports: ServerPorts,
  searchAttributes: Readonly<Record<string, string>>,
): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--log-level', 'warn'],
    ...['--db-filename', database],
    ...['--port', String(ports.frontend), '--ui-port', String(ports.ui)],
    ...['--http-port', String(ports.http), '--metrics-port', String(ports.metrics)],
    ...SQLITE_PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
    ...Object.entries(searchAttributes).flatMap(([name, type]) => [
      '--search-attribute',
      `${name}=${type}`,
    ]),
  ];
}
