import { z } from 'zod';
import type { CodeBlock } from './markdown-page';
import { isInRepository } from './repository';

/** Why a block is not run. Each is a reason that a test cannot lift. */
const REASONS = {
  'api-key': 'asks the real API, or another host',
  docker: 'needs containers',
  endless: 'goes on until somebody ends it',
  fragment: 'is a part of a file, to be read',
  hours: 'takes minutes to hours by design',
  install: 'asks a registry, or a host, for what is installed',
  systemd: 'changes services of the system',
  terminal: 'talks with a person at a terminal, which test/terminal does',
} as const;

const LANGUAGES = ['text', 'sh', 'ts', 'js', 'json', 'jsonc', 'mermaid'] as const;
type Language = (typeof LANGUAGES)[number];

const SESSION_KINDS = ['finished', 'working', 'waiting-approval', 'waiting-answer'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** What the comment before a block says: `<!-- snippet: key=value key=value -->`. Nobody sees it on the page. */
const remarks = z.strictObject({
  /** A reason, or the test that runs it. */
  'not-run': z
    .string()
    .refine(
      (reason) => Object.hasOwn(REASONS, reason) || /^test\/.*\.test\.ts$/.test(reason),
      `a test file, or one of ${Object.keys(REASONS).join(', ')}`,
    )
    .optional(),
  /** What state the session is in that the block speaks of. */
  session: z.enum(SESSION_KINDS).optional(),
  /** What stands for that session in the text. */
  as: z.string().default('SESSION'),
  /** What stands for the folder in the text. */
  folder: z.string().optional(),
  /** What a program is started with. */
  argument: z.string().default(''),
  needs: z.enum(['postgres', 'server']).optional(),
  /** Exit code of the block. */
  exit: z.coerce.number().default(0),
  /** Who reads the file in the product. */
  reader: z
    .enum(['settings', 'prices', 'approve', 'deny', 'answer', 'crash-test', 'mcp'])
    .optional(),
  /** Under this name it lies in the folder when the blocks behind it run. */
  file: z.string().optional(),
});

export interface Snippet {
  /** For titles and messages: page and line. */
  readonly name: string;
  readonly line: number;
  readonly language: Language;
  readonly text: string;
  readonly remarks: z.infer<typeof remarks>;
}

/** Snippets of a page, in order; and a sentence for each block that is of no known kind, or remarked on in an unknown way. */
export function readSnippets(
  path: string,
  blocks: readonly CodeBlock[],
): { readonly snippets: readonly Snippet[]; readonly problems: readonly string[] } {
  const read = blocks.map((block) => toSnippet(path, block));
  return {
    snippets: read.filter((one) => typeof one !== 'string'),
    problems: read.filter((one) => typeof one === 'string'),
  };
}

/** Whether a test of snippets runs it. */
export const isRun = ({ language, remarks: said }: Snippet): boolean =>
  said['not-run'] === undefined && ['sh', 'ts', 'js'].includes(language);

function toSnippet(path: string, block: CodeBlock): Snippet | string {
  const { line, text } = block;
  const name = `${path}:${line}`;
  const language = LANGUAGES.find((one) => one === block.language);
  if (language === undefined || !block.isFenced) {
    const seen = block.isFenced ? `the language '${block.language}'` : 'no fence';
    return `${name} has ${seen}. Begin it with \`\`\` and one of ${LANGUAGES.join(', ')}.`;
  }
  const parsed = remarks.safeParse(wordsOf(block.comment));
  if (!parsed.success) return `${name}: ${z.prettifyError(parsed.error)}`;
  const reason = parsed.data['not-run'];
  if (reason?.startsWith('test/') && !isInRepository(reason)) {
    return `${name} is said to be run by ${reason}, which is not there.`;
  }
  return { name, line, language, text, remarks: parsed.data };
}

function wordsOf(comment: string | null): Readonly<Record<string, string>> {
  const [, text] = /^snippet:\s*(.*)$/.exec(comment ?? '') ?? [];
  const words = text?.split(/\s+/) ?? [];
  return Object.fromEntries(
    words.map((word) => word.split(/=(.*)/).slice(0, 2) as [string, string]),
  );
}
