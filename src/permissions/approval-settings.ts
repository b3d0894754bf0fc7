import { z } from 'zod';
import { lineOf } from '../settings/json-place';
import { SettingsError } from '../settings/settings-file';
import { readPublicKey } from './approval-signature';

/** What the `approvals` blocks of all settings files say together. */
export interface ApprovalSettings {
  /** null: a call waits as long as it takes. */
  readonly timeout: { readonly ms: number; readonly outcome: 'allow' | 'deny' } | null;
  /** Decisions that come by Update count only if they are signed. */
  readonly requireSignature: boolean;
  /** Ed25519 public keys, base64 of the SPKI DER, by who signs with them. */
  readonly signers: Readonly<Record<string, string>>;
}

const publicKey = z
  .string('an Ed25519 public key: the line between the dashes of its PEM file')
  .refine((text) => {
    try {
      return readPublicKey(text).type === 'public';
    } catch {
      return false;
    }
  }, 'an Ed25519 public key: the line between the dashes of its PEM file');

/** A timer of the server may be long, but it is for people. */
const MOST_MINUTES = 366 * 24 * 60;
const MINUTES = `a number of minutes, at most ${MOST_MINUTES}`;

const ApprovalsBlock = z.object(
  {
    timeoutMinutes: z
      .number(MINUTES)
      .positive(MINUTES)
      .max(MOST_MINUTES, MINUTES)
      .nullable()
      .default(null),
    outcome: z.enum(['allow', 'deny'], 'allow or deny').nullable().default(null),
    requireSignature: z.boolean('true or false').nullable().default(null),
    signers: z.record(z.string(), publicKey, 'an object of public keys').default({}),
  },
  'an object',
);
type ApprovalsBlock = z.infer<typeof ApprovalsBlock>;

/** A settings file as it was read, of the strength that its place has. */
interface Layer {
  readonly source: string;
  /** null: given on the command line. */
  readonly file: string | null;
  readonly raw: Readonly<Record<string, unknown>>;
  /** For the lines of complaints; absent: it was not read from a text. */
  readonly text?: string | undefined;
}

/** Strongest layer first. What a repository brings along can make things stricter and nothing else: its `signers` and
 *  its `outcome: "allow"` have no effect, which is warned of. Fails: SettingsError. */
export function readApprovalSettings(layers: readonly Layer[]): {
  readonly approvals: ApprovalSettings;
  readonly warnings: readonly string[];
} {
  const blocks = layers
    .filter(({ raw }) => raw['approvals'] !== undefined)
    .map((layer) => ({ ...parse(layer), layer, isTrusted: isTrusted(layer) }));
  const trusted = blocks.filter((block) => block.isTrusted);
  const minutes = blocks.map(({ timeoutMinutes }) => timeoutMinutes).find((one) => one !== null);
  const outcomes = blocks.filter((block) => block.isTrusted || block.outcome === 'deny');
  const outcome = outcomes.map((block) => block.outcome).find((one) => one !== null) ?? 'deny';
  const requireSignature = blocks.some((block) => block.requireSignature === true);
  return {
    approvals: {
      timeout:
        minutes === undefined
          ? null
          : // Nobody's silence is a signature.
            { ms: Math.ceil(minutes * 60_000), outcome: requireSignature ? 'deny' : outcome },
      requireSignature,
      signers: Object.assign({}, ...trusted.toReversed().map(({ signers }) => signers)) as Record<
        string,
        string
      >,
    },
    warnings: blocks.filter((block) => !block.isTrusted).flatMap(ignoredOf),
  };
}

const isTrusted = ({ source }: Layer): boolean => source !== 'project' && source !== 'local';

function ignoredOf({
  layer,
  outcome,
  signers,
}: ApprovalsBlock & { readonly layer: Layer }): readonly string[] {
  const name = nameOf(layer);
  const cure = 'a project cannot choose it. Set it in your own settings.';
  return [
    ...(outcome === 'allow' ? [`${name}: approvals.outcome is "allow": ${cure}`] : []),
    ...(Object.keys(signers).length > 0
      ? [`${name}: approvals.signers has no effect: ${cure}`]
      : []),
  ];
}

const nameOf = ({ file }: Layer): string =>
  file === null ? '--settings' : `Settings file ${file}`;

function parse(layer: Layer): ApprovalsBlock {
  const { raw, text } = layer;
  const parsed = ApprovalsBlock.safeParse(raw['approvals']);
  if (parsed.success) return parsed.data;
  const complaints = parsed.error.issues.map((issue) => {
    const at = ['approvals', ...issue.path];
    const value = at.reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : null,
      raw,
    );
    const line = text === undefined ? '' : `line ${lineOf(text, at)}: `;
    const seen = JSON.stringify(value).slice(0, 80);
    return `${line}${at.map(String).join('.')} is ${seen}: it must be ${issue.message}. Correct or remove it.`;
  });
  throw new SettingsError(`${nameOf(layer)}: ${complaints.join('\n')}`, { cause: parsed.error });
}
