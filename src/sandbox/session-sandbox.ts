import path from 'node:path';
import type { PermissionRule } from '../permissions/rule';
import { findBubblewrap, type Bubblewrap } from './bubblewrap';
import type { SandboxSettings } from './sandbox-settings';
import type { Sandbox, SandboxPlaces, SandboxState } from './sandbox';

export interface SandboxRequest {
  readonly settings: SandboxSettings;
  /** Rules of files and of the web count for commands too. */
  readonly rules: readonly PermissionRule[];
  /** true: nobody watches what it does, so that it is kept in unless settings say otherwise. */
  readonly isBackground: boolean;
  readonly places: SandboxPlaces;
  /** Where programs are looked for. */
  readonly searchPath: string;
  /** The words that start `network-launcher`; absent: that of this build. */
  readonly launcher?: readonly string[];
}

const LAUNCHER = [process.execPath, path.join(__dirname, 'network-launcher.js')];

/** How the commands of a session run: in a sandbox where settings want it, and in the background unless they do not. */
export async function sandboxOf(request: SandboxRequest): Promise<SandboxState> {
  const { settings, rules, isBackground, places, searchPath, launcher = LAUNCHER } = request;
  if (!isWanted(settings, isBackground)) return { type: 'off' };
  const found = await findBubblewrap(searchPath, settings.isWeaker);
  if (found.type === 'missing') {
    return { type: 'unavailable', message: lackOf(found), refuses: settings.failIfUnavailable };
  }
  const sandbox: Sandbox = {
    program: found.program,
    settings: withRules(settings, rules),
    places,
    launcher,
  };
  return { type: 'on', sandbox };
}

/** For people, before a session begins: that its commands cannot be kept in, although they should. Empty: all is well. */
export async function sandboxWarnings({
  settings,
  isBackground,
  searchPath,
}: Pick<SandboxRequest, 'settings' | 'isBackground' | 'searchPath'>): Promise<readonly string[]> {
  if (!isWanted(settings, isBackground)) return [];
  const found = await findBubblewrap(searchPath, settings.isWeaker);
  if (found.type === 'found') return [];
  const effect = settings.failIfUnavailable
    ? 'Bash and MCP servers are refused.'
    : 'They run with all rights of yours.';
  return [`${lackOf(found)} ${effect}`];
}

const isWanted = ({ enabled }: SandboxSettings, isBackground: boolean): boolean =>
  enabled ?? isBackground;

const lackOf = ({ detail, cure }: Extract<Bubblewrap, { type: 'missing' }>): string =>
  `Commands cannot be kept in a sandbox: ${detail}. ${cure} ` +
  'To do without one, set sandbox.enabled to false.';

/** What file tools and WebFetch may or may not do holds inside as well. Patterns with wildcards cannot be mounted:
 *  of those only `folder/**` counts. */
function withRules(settings: SandboxSettings, rules: readonly PermissionRule[]): SandboxSettings {
  const { filesystem, network } = settings;
  const files = (behavior: PermissionRule['behavior'], tools: readonly string[]) =>
    rules.filter((rule) => rule.behavior === behavior && tools.includes(rule.tool)).flatMap(pathOf);
  const domains = (behavior: PermissionRule['behavior']) =>
    rules
      .filter((rule) => rule.behavior === behavior && rule.tool === 'WebFetch')
      .flatMap(({ content }) => /^domain:(.+)$/.exec(content ?? '')?.[1] ?? []);
  const edits = ['Edit', 'Write'];
  return {
    ...settings,
    network: {
      ...network,
      allowedDomains: [...network.allowedDomains, ...domains('allow')],
      deniedDomains: [...network.deniedDomains, ...domains('deny')],
    },
    filesystem: {
      ...filesystem,
      allowWrite: [...filesystem.allowWrite, ...files('allow', edits)],
      denyWrite: [...filesystem.denyWrite, ...files('deny', edits)],
      denyRead: [...filesystem.denyRead, ...files('deny', ['Read'])],
    },
  };
}

function pathOf({ content, origin }: PermissionRule): readonly string[] {
  const plain = content?.replace(/\/\*\*$/, '') ?? '';
  if (plain === '' || plain === '/' || /[*?[{!]/.test(plain)) return [];
  if (plain.startsWith('//')) return [path.resolve(plain.slice(1))];
  if (plain.startsWith('~/')) return [path.join(origin.homeFolder, plain.slice(2))];
  if (plain.startsWith('/')) return [path.join(origin.settingsFolder, plain)];
  return [path.resolve(origin.workingDirectory, plain)];
}
