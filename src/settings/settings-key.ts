/** What everloop does with a key of a settings file.
 *  `honoured`: what it says is done. `display`: it is about the looks of a terminal program, so that nothing is lost.
 *  `missing`: somebody may count on it, and it is not done. */
export type KeyUse = 'honoured' | 'display' | 'missing';

/** The keys that Claude Code documents, by their path. `docs/settings.md` tells the same. */
export const SETTINGS_KEYS: Readonly<Record<string, KeyUse>> = {
  $schema: 'honoured',
  allowManagedHooksOnly: 'honoured',
  allowedHttpHookUrls: 'honoured',
  approvals: 'honoured',
  autoCompactEnabled: 'honoured',
  disableAllHooks: 'honoured',
  disabledMcpjsonServers: 'honoured',
  enableAllProjectMcpServers: 'honoured',
  enabledMcpjsonServers: 'honoured',
  env: 'honoured',
  hooks: 'honoured',
  includeGitInstructions: 'honoured',
  mcpServers: 'honoured',
  model: 'honoured',
  permissions: 'honoured',
  'permissions.additionalDirectories': 'honoured',
  'permissions.allow': 'honoured',
  'permissions.ask': 'honoured',
  'permissions.defaultMode': 'honoured',
  'permissions.deny': 'honoured',
  sandbox: 'honoured',

  autoUpdatesChannel: 'display',
  companyAnnouncements: 'display',
  editorMode: 'display',
  feedbackSurveyRate: 'display',
  prefersReducedMotion: 'display',
  showTurnDuration: 'display',
  spinnerTipsEnabled: 'display',
  spinnerVerbs: 'display',
  statusLine: 'display',
  subagentStatusLine: 'display',
  terminalProgressBarEnabled: 'display',
  theme: 'display',
  verbose: 'display',

  agent: 'missing',
  allowedMcpServers: 'missing',
  alwaysThinkingEnabled: 'missing',
  apiKeyHelper: 'missing',
  attribution: 'missing',
  availableModels: 'missing',
  awsAuthRefresh: 'missing',
  awsCredentialExport: 'missing',
  blockedMarketplaces: 'missing',
  claudeMdExcludes: 'missing',
  cleanupPeriodDays: 'missing',
  deniedMcpServers: 'missing',
  effortLevel: 'missing',
  enabledPlugins: 'missing',
  extraKnownMarketplaces: 'missing',
  fileSuggestion: 'missing',
  forceLoginMethod: 'missing',
  forceLoginOrgUUID: 'missing',
  includeCoAuthoredBy: 'missing',
  language: 'missing',
  modelOverrides: 'missing',
  otelHeadersHelper: 'missing',
  outputStyle: 'missing',
  'permissions.disableBypassPermissionsMode': 'missing',
  plansDirectory: 'missing',
  respectGitignore: 'missing',
  strictKnownMarketplaces: 'missing',
};

/** Objects whose members are listed one by one. */
const PARENTS = ['permissions'];

/** Paths of a file's own keys that are not honoured, each with what to say of it. */
export function findUnusedKeys(
  raw: Readonly<Record<string, unknown>>,
): readonly { readonly path: readonly string[]; readonly complaint: string }[] {
  const paths = Object.entries(raw).flatMap(([key, value]) => [
    [key],
    ...(PARENTS.includes(key) && typeof value === 'object' && value !== null
      ? Object.keys(value).map((inner) => [key, inner])
      : []),
  ]);
  return paths.flatMap((path) => {
    const name = path.join('.');
    const use = Object.hasOwn(SETTINGS_KEYS, name) ? SETTINGS_KEYS[name] : undefined;
    if (use === 'honoured' || use === 'display') return [];
    if (use === 'missing') {
      return [{ path, complaint: `${name} has no effect in everloop. Do not count on it.` }];
    }
    const near = nearestTo(name);
    const cure = near === undefined ? 'Correct or remove it.' : `Did you mean ${near}?`;
    return [{ path, complaint: `${name} is no setting that everloop knows. ${cure}` }];
  });
}

function nearestTo(name: string): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
  const distances = Object.keys(SETTINGS_KEYS)
    .filter((key) => SETTINGS_KEYS[key] === 'honoured')
    .map((key) => ({ key, distance: distanceOf(plain(key), plain(name)) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = distances;
  return best !== undefined && best.distance <= 2 ? best.key : undefined;
}

/** Letters to be put in, taken out or changed. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [line, letter] of Array.from(a).entries()) {
    const next = [line + 1];
    for (const [column, other] of Array.from(b).entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
