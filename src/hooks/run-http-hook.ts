import { performance } from 'node:perf_hooks';
import type { HttpHook } from './hook';
import { withinLimits, type HookLimits, type HookRun } from './hook-run';
import { LimitedOutput } from './limited-output';

type Environment = Readonly<Record<string, string | undefined>>;

/** Posts the input; the body of a 2xx answer counts like what a command prints. No answer and any other status
 *  are errors that block nothing. Never throws. */
export async function runHttpHook(
  hook: HttpHook,
  input: string,
  { env, ...limits }: HookLimits & { readonly env: Environment },
): Promise<HookRun> {
  const startedAt = performance.now();
  const ending = await withinLimits(limits, async (signal) => {
    const response = await fetch(hook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...filledIn(hook, env) },
      body: input,
      // Headers may hold secrets that are meant for this address alone.
      redirect: 'manual',
      signal,
    });
    return { status: response.status, isOk: response.ok, body: await readBody(response) };
  });
  const durationMs = Math.round(performance.now() - startedAt);
  const run = { exitCode: null, stdout: '', stderr: '', durationMs, isDetached: false };
  switch (ending.type) {
    case 'failed':
      return { ...run, outcome: 'error', stderr: ending.message };
    case 'timeout':
    case 'cancelled':
      return { ...run, outcome: ending.type };
    case 'done': {
      const { status, isOk, body } = ending.value;
      if (isOk) return { ...run, outcome: 'success', stdout: body };
      return { ...run, outcome: 'error', stdout: body, stderr: `HTTP status ${status}` };
    }
  }
}

function filledIn({ headers, allowedEnvVars }: HttpHook, env: Environment): Record<string, string> {
  const valueOf = (name: string): string =>
    allowedEnvVars.includes(name) ? (env[name] ?? '') : '';
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [
      name,
      text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) =>
        valueOf(braced ?? bare ?? ''),
      ),
    ]),
  );
}

async function readBody(response: Response): Promise<string> {
  const output = new LimitedOutput();
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) output.take(chunk);
  return output.text;
}
