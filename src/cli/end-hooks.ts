import type { SessionStore } from '../transcript/store';
import type { SessionHost } from './session-host';

/** SessionEnd: runs in the process that served the session, when it is over. Nobody waits longer than its short
 *  limit, and nothing it says changes anything. Never fails. */
export async function runEndHooks(host: SessionHost, session: SessionStore): Promise<void> {
  const { meta, transcriptPath } = session;
  const { cwd, sessionId } = meta;
  const { configDir, userHome: homeFolder } = host.config;
  try {
    const { loadSettings } = await import('../settings/settings.js');
    const { createHookSet } = await import('../hooks/hook-set.js');
    const { readSettingsHooks } = await import('../hooks/hook-settings.js');
    const settings = await loadSettings({ cwd, configDir, homeFolder, ...host.settings });
    const set = createHookSet([
      readSettingsHooks(settings.layers, { projectDir: cwd, homeFolder }),
    ]);
    if (!set.hasHooks('SessionEnd')) return;
    const { runHooks } = await import('../hooks/run-hooks.js');
    const input = {
      session_id: sessionId,
      transcript_path: transcriptPath,
      cwd,
      hook_event_name: 'SessionEnd',
      reason: 'other',
    } as const;
    const env = { ...host.environment, ...settings.env };
    const { signal } = new AbortController();
    await runHooks(set, input, { cwd, projectDir: cwd, env, signal });
  } catch {
    // The session has ended well; its settings were read, and complained of, when it began.
  }
}
