import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseScriptFile } from './script';
import { startScriptedModel } from './scripted-model';

/** A scripted model as a process of its own, so that it survives a Worker's end.
 *  `--script FILE.json [--port N] [--until-stdin-ends]`; prints `{"url": …}` when it listens.
 *  A parent steers it by GET /scripted-model/status, GET /scripted-model/requests and
 *  POST /scripted-model/release/GATE. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      script: { type: 'string' },
      port: { type: 'string' },
      'until-stdin-ends': { type: 'boolean' },
    },
  });
  if (values.script === undefined)
    throw new Error('No script given. Use --script FILE.json [--port N] [--until-stdin-ends].');
  const script = parseScriptFile(readFileSync(values.script, 'utf8'), values.script);
  const model = await startScriptedModel({
    ...script,
    port: portOf(values.port),
    keepBodies: false,
  });

  const stop = (): void => void model.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // Standard input ends when the parent does, however it died.
  if (values['until-stdin-ends']) process.stdin.once('close', stop).resume();
  process.stdout.write(`${JSON.stringify({ url: model.url })}\n`);
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`--port ${text} is no port. Give a number from 0 (any free port) to 65535.`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
