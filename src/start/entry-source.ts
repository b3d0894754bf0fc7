/** Each has to be one module in the process, whoever imports it: some keep what they know in variables of their own
 *  (the context of an Activity), others tell their classes apart by identity. */
const SHARED = [
  './agent/index.js',
  './pi/index.js',
  './template/index.js',
  './in-process/index.js',
  './workflows/run-agent.js',
  '@temporalio/activity',
  '@temporalio/client',
  '@temporalio/common',
  '@temporalio/plugin',
  '@temporalio/proto',
  '@temporalio/worker',
  '@temporalio/workflow',
  '@opentelemetry/api',
  'zod',
];

/** What a command loads that serves a session: what V8 made of it is worth keeping. */
const MOST_USED = [
  './cli/compose/conversations.js',
  './cli/compose/this-process.js',
  './cli/print.js',
  './cli/open-session.js',
  './cli/session-host.js',
  './cli/serve-session.js',
  './cli/background.js',
  './client/agent-client.js',
  './hooks/hook-set.js',
  './hooks/host-hooks.js',
  './hooks/run-hooks.js',
  './sandbox/session-sandbox.js',
  './server/local-server.js',
  './settings/settings.js',
  './temporal/sdk-connection.js',
  './visibility/register-attributes.js',
  './worker.js',
  './worker-activities.js',
];

/** The first module of the bundle. */
export function entrySource(): string {
  const quoted = JSON.stringify;
  const shared = SHARED.map(
    (name) => `  [require.resolve(${quoted(name)}), () => require(${quoted(name)})],`,
  );
  const loads = MOST_USED.map((name) => `  require(${quoted(name)});`);
  return [
    `require('./start/share-modules.js').shareModules([`,
    ...shared,
    `]);`,
    `exports.run = () => void require('./cli/main.js');`,
    `exports.crashWorker = () => void require('./crash-test/worker-main.js');`,
    `exports.load = () => {`,
    ...loads,
    `};`,
  ].join('\n');
}
