import { listensOn } from './network-order';
import type { Sandbox } from './sandbox';

/** What programs say when it was the sandbox that stopped them. */
const SIGNS =
  /Read-only file system|EROFS|Permission denied|EACCES|Operation not permitted|EPERM|Network is unreachable|ENETUNREACH|Could not resolve|EAI_AGAIN|Temporary failure in name resolution|sandbox does not let commands reach/i;

/** For the model, about a command that failed: it may have been the sandbox. null: nothing looks like it. */
export function sandboxNote({ settings, places }: Sandbox, output: string): string | null {
  if (!SIGNS.test(output)) return null;
  const network =
    listensOn(settings.network).length === 0
      ? 'has no network'
      : 'reaches only the hosts that settings allow, by the proxy that HTTPS_PROXY names';
  const way = settings.allowUnsandboxed
    ? ' If the task needs more, run it with dangerouslyDisableSandbox; a person is asked then.'
    : ' If the task needs more, tell the user.';
  return `[It ran in a sandbox: it writes in ${places.roots.join(', ')} and $TMPDIR only, and ${network}.${way}]`;
}
