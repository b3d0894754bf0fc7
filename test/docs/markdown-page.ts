import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexer, type Token } from 'marked';
import { globSync } from 'tinyglobby';
import { ROOT } from './repository';

export interface CodeBlock {
  /** Info string behind the fence; empty: none. */
  readonly language: string;
  readonly text: string;
  /** HTML comment right before the block, without its marks; null: none. */
  readonly comment: string | null;
  readonly isFenced: boolean;
  readonly line: number;
}

/** What a Markdown file of the repository says, as GitHub would read it. */
export class MarkdownPage {
  readonly text: string;
  readonly #lists: readonly (readonly Token[])[];

  /** `path`: from the root of the repository. */
  constructor(readonly path: string) {
    this.text = readFileSync(join(ROOT, path), 'utf8');
    this.#lists = [...siblingsOf(lexer(this.text))];
  }

  get blocks(): readonly CodeBlock[] {
    let from = 0;
    return this.#lists.flatMap((tokens) =>
      tokens.flatMap((token, index) => {
        if (token.type !== 'code') return [];
        const at = this.text.indexOf(token.raw.trimEnd(), from);
        from = at < 0 ? from : at + token.raw.length;
        return {
          language: (token['lang'] as string | undefined) ?? '',
          text: token['text'] as string,
          comment: commentBefore(tokens, index),
          isFenced: token['codeBlockStyle'] !== 'indented',
          line: this.text.slice(0, Math.max(at, 0)).split('\n').length,
        };
      }),
    );
  }

  /** Where links and images lead, as written. */
  get targets(): readonly string[] {
    return this.#tokens.flatMap((token) => {
      if (token.type === 'link' || token.type === 'image') return [token['href'] as string];
      if (token.type !== 'html') return [];
      return [...token.raw.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)].map(
        ([, href = '']) => href,
      );
    });
  }

  /** Texts between backticks. */
  get codeSpans(): readonly string[] {
    return this.#tokens.flatMap((token) =>
      token.type === 'codespan' ? [token['text'] as string] : [],
    );
  }

  /** What can stand behind `#`: the rule of GitHub for headings, and ids of HTML. */
  get anchors(): ReadonlySet<string> {
    const anchors = new Set<string>();
    for (const token of this.#tokens) {
      if (token.type === 'heading') addSlug(anchors, plainText(token));
      for (const [, id = ''] of token.type === 'html'
        ? token.raw.matchAll(/\bid="([^"]+)"/g)
        : []) {
        anchors.add(id);
      }
    }
    return anchors;
  }

  get #tokens(): readonly Token[] {
    return this.#lists.flat();
  }
}

/** All pages that people read, but what is installed or built. */
export function allPages(): readonly MarkdownPage[] {
  const paths = globSync(['*.md', '{docs,examples,bench,dashboards,bin}/**/*.md'], {
    cwd: ROOT,
    ignore: ['**/node_modules/**'],
  });
  return paths.sort().map((path) => new MarkdownPage(path));
}

function* siblingsOf(tokens: readonly Token[]): Generator<readonly Token[]> {
  yield tokens;
  for (const token of tokens) for (const children of childrenOf(token)) yield* siblingsOf(children);
}

interface Nested {
  readonly tokens?: readonly Token[];
  readonly items?: readonly Token[];
  readonly header?: readonly { readonly tokens: readonly Token[] }[];
  readonly rows?: readonly (readonly { readonly tokens: readonly Token[] }[])[];
}

function childrenOf(token: Token): readonly (readonly Token[])[] {
  const { tokens = [], items = [], header = [], rows = [] } = token as Nested;
  return [tokens, items, ...[...header, ...rows.flat()].map((cell) => cell.tokens)];
}

function commentBefore(tokens: readonly Token[], index: number): string | null {
  const before = tokens.slice(0, index).findLast(({ type }) => type !== 'space');
  if (before?.type !== 'html') return null;
  return /<!--\s*(.*?)\s*-->\s*$/.exec(before.raw)?.[1] ?? null;
}

function plainText(token: Token): string {
  const { tokens } = token as Nested;
  if (tokens !== undefined) return tokens.map(plainText).join('');
  return 'text' in token ? String(token.text) : '';
}

function addSlug(anchors: Set<string>, heading: string): void {
  const slug = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  let unique = slug;
  for (let count = 1; anchors.has(unique); count += 1) unique = `${slug}-${count}`;
  anchors.add(unique);
}
