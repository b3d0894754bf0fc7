import path from 'node:path';
import { z } from 'zod';
import { lineOf } from '../settings/json-place';
import { SettingsError } from '../settings/settings-file';

/** What the `sandbox` blocks of all settings files say together. Paths are absolute. */
export interface SandboxSettings {
  /** null: no file says. */
  readonly enabled: boolean | null;
  /** true: where there is no sandbox, commands are refused instead of run without one. */
  readonly failIfUnavailable: boolean;
  /** true: a command that runs in the sandbox needs no permission of its own. Only where somebody has switched the
   *  sandbox on: one that is there by default gives nothing away. */
  readonly autoAllow: boolean;
  /** false: nothing that the model says lets a command out. */
  readonly allowUnsandboxed: boolean;
  /** Commands that run outside, as in `Bash(…)` rules. */
  readonly excludedCommands: readonly string[];
  /** true: the processes of the machine are listed inside, for containers that cannot have it otherwise. */
  readonly isWeaker: boolean;
  readonly network: NetworkSettings;
  readonly filesystem: {
    readonly allowWrite: readonly string[];
    readonly denyWrite: readonly string[];
    readonly denyRead: readonly string[];
    readonly allowRead: readonly string[];
  };
}

export interface NetworkSettings {
  /** `example.com`, `*.example.com`, each with `:port` if only that one is meant. */
  readonly allowedDomains: readonly string[];
  /** Stronger. */
  readonly deniedDomains: readonly string[];
  /** Files of sockets. */
  readonly allowUnixSockets: readonly string[];
  readonly allowAllUnixSockets: boolean;
  /** Of a proxy of the user's on this machine, which then decides; null: ours decides. */
  readonly httpProxyPort: number | null;
  readonly socksProxyPort: number | null;
}

const flag = z.boolean('true or false').nullable().default(null);
const texts = z.array(z.string(), 'a list of texts').default([]);
const port = z.int('a port').min(1, 'a port').max(65_535, 'a port').nullable().default(null);

/** https://code.claude.com/docs/en/settings, "Sandbox settings". */
const SandboxBlock = z.object(
  {
    enabled: flag,
    failIfUnavailable: flag,
    autoAllowBashIfSandboxed: flag,
    allowUnsandboxedCommands: flag,
    excludedCommands: texts,
    enableWeakerNestedSandbox: flag,
    network: z
      .object(
        {
          allowedDomains: texts,
          deniedDomains: texts,
          allowManagedDomainsOnly: flag,
          allowUnixSockets: texts,
          allowAllUnixSockets: flag,
          httpProxyPort: port,
          socksProxyPort: port,
        },
        'an object',
      )
      .prefault({}),
    filesystem: z
      .object(
        {
          allowWrite: texts,
          denyWrite: texts,
          denyRead: texts,
          allowRead: texts,
          allowManagedReadPathsOnly: flag,
        },
        'an object',
      )
      .prefault({}),
  },
  'an object',
);
type SandboxBlock = z.infer<typeof SandboxBlock>;

/** A settings file as it was read, of the strength that its place has. */
interface Layer {
  readonly source: string;
  /** null: given on the command line. */
  readonly file: string | null;
  readonly raw: Readonly<Record<string, unknown>>;
  /** For the lines of complaints; absent: it was not read from a text. */
  readonly text?: string | undefined;
}

interface Block extends SandboxBlock {
  readonly isManaged: boolean;
  /** Where its relative paths begin. */
  readonly base: string;
}

/** Strongest layer first. Of a single value the strongest counts, lists are joined.
 *  Fails: SettingsError. */
export function readSandboxSettings(
  layers: readonly Layer[],
  {
    cwd,
    configDir,
    homeFolder,
  }: { readonly cwd: string; readonly configDir: string; readonly homeFolder: string },
): SandboxSettings {
  const blocks = layers
    .filter(({ raw }) => raw['sandbox'] !== undefined)
    .map((layer): Block => {
      const isOfUser = layer.source === 'user';
      const isManaged = layer.source === 'managed';
      return { ...parse(layer), isManaged, base: isOfUser ? configDir : cwd };
    });
  const first = <Value>(of: (block: Block) => Value | null): Value | null =>
    blocks.map(of).find((value) => value !== null) ?? null;
  const onlyManagedIf = (of: (block: Block) => boolean | null): readonly Block[] => {
    const managed = blocks.filter(({ isManaged }) => isManaged);
    return managed.some((block) => of(block) === true) ? managed : blocks;
  };
  const toPath = (text: string, base: string): string =>
    path.resolve(base, text.replace(/^~(?=\/|$)/, () => homeFolder).replace(/^\/\//, '/'));
  const paths = (of: (block: Block) => readonly string[], from = blocks): readonly string[] =>
    from.flatMap((block) => of(block).map((text) => toPath(text, block.base)));

  const enabled = first((block) => block.enabled);
  return {
    enabled,
    failIfUnavailable: first(({ failIfUnavailable }) => failIfUnavailable) ?? false,
    autoAllow:
      first(({ autoAllowBashIfSandboxed }) => autoAllowBashIfSandboxed) ?? enabled === true,
    allowUnsandboxed: first(({ allowUnsandboxedCommands }) => allowUnsandboxedCommands) ?? true,
    excludedCommands: blocks.flatMap(({ excludedCommands }) => excludedCommands),
    isWeaker: first(({ enableWeakerNestedSandbox }) => enableWeakerNestedSandbox) ?? false,
    network: {
      allowedDomains: onlyManagedIf(({ network }) => network.allowManagedDomainsOnly).flatMap(
        ({ network }) => network.allowedDomains,
      ),
      deniedDomains: blocks.flatMap(({ network }) => network.deniedDomains),
      allowUnixSockets: paths(({ network }) => network.allowUnixSockets),
      allowAllUnixSockets: first(({ network }) => network.allowAllUnixSockets) ?? false,
      httpProxyPort: first(({ network }) => network.httpProxyPort),
      socksProxyPort: first(({ network }) => network.socksProxyPort),
    },
    filesystem: {
      allowWrite: paths(({ filesystem }) => filesystem.allowWrite),
      denyWrite: paths(({ filesystem }) => filesystem.denyWrite),
      denyRead: paths(({ filesystem }) => filesystem.denyRead),
      allowRead: paths(
        ({ filesystem }) => filesystem.allowRead,
        [...onlyManagedIf(({ filesystem }) => filesystem.allowManagedReadPathsOnly)],
      ),
    },
  };
}

function parse({ file, raw, text }: Layer): SandboxBlock {
  const parsed = SandboxBlock.safeParse(raw['sandbox']);
  if (parsed.success) return parsed.data;
  const name = file === null ? '--settings' : `Settings file ${file}`;
  const complaints = parsed.error.issues.map((issue) => {
    const at = ['sandbox', ...issue.path];
    const value = at.reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : null,
      raw,
    );
    const line = text === undefined ? '' : `line ${lineOf(text, at)}: `;
    const seen = JSON.stringify(value).slice(0, 80);
    return `${line}${at.join('.')} is ${seen}: it must be ${issue.message}. Correct or remove it.`;
  });
  throw new SettingsError(`${name}: ${complaints.join('\n')}`, { cause: parsed.error });
}
