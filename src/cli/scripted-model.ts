import { loadCrashScript } from '../crash-test/crash-script';
import { scriptedConversations } from '../crash-test/scripted-conversations';
import { startScriptedModel } from '../scripted-model/scripted-model';
import { CliError, messageOf } from './cli-error';
import type { ScriptedModelCommand } from './command';
import type { Surroundings } from './surroundings';

/** A Messages API without a key, until the process is ended: the line on stdout makes a shell use it.
 *  Fails: when the script is none, or the port is taken. */
export async function scriptedModel(
  { script, port }: ScriptedModelCommand,
  { stdout, stderr }: Pick<Surroundings, 'stdout' | 'stderr'>,
): Promise<never> {
  const conversations = scriptedConversations(await loadCrashScript(script));
  const model = await startScriptedModel({ ...conversations, port, keepBodies: false }).catch(
    (cause: unknown) => {
      const cure = 'Give another --port, or none.';
      throw new CliError(`Port ${port} cannot be had: ${messageOf(cause)}. ${cure}`);
    },
  );
  const { url } = model;
  await stderr.write(`SCRIPTED model at ${url}: its replies were written beforehand.\n`);
  await stdout.write(`export ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=scripted\n`);
  return new Promise<never>(() => undefined);
}
