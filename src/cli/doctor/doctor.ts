import { messageOf } from '../cli-error';
import type { OutputStream } from '../output/output-stream';
import type { Check, Finding } from './check';

/** Runs all checks, one line each, with the cure behind what is wrong. Exit code 1 when something is. */
export async function doctor(
  { repair }: { readonly repair: boolean },
  deps: { readonly stdout: OutputStream; readonly checks: readonly Check[] },
): Promise<number> {
  let exitCode = 0;
  for (const check of deps.checks) {
    const { detail, cure } = await examine(check, repair);
    if (cure !== null) exitCode = 1;
    const line =
      cure === null
        ? `ok     ${check.name}: ${detail}`
        : `WRONG  ${check.name}: ${detail}. ${cure}`;
    await deps.stdout.write(`${line}\n`);
  }
  return exitCode;
}

async function examine(check: Check, repair: boolean): Promise<Finding> {
  try {
    return await check.run(repair);
  } catch (error) {
    return { detail: 'could not be checked', cure: messageOf(error) };
  }
}
