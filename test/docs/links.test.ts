import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { globSync } from 'tinyglobby';
import { allPages, MarkdownPage } from './markdown-page';
import { hasScript, isInRepository, ROOT } from './repository';

/** Where pages may lead outside of the repository. No request is sent: a new place is looked at by whoever adds it. */
const HOSTS: ReadonlySet<string> = new Set([
  'code.claude.com',
  'developers.cloudflare.com',
  'docs.aws.amazon.com',
  'docs.dbos.dev',
  'docs.langchain.com',
  'docs.temporal.io',
  'github.com',
  'opentelemetry.io',
  'platform.claude.com',
  'pypi.org',
  'vercel.com',
  'www.inngest.com',
]);

/** What processes of ours tell each other, and nobody sets. */
const BETWEEN_PROCESSES = ['EVERLOOP_CALL', 'EVERLOOP_HOOK', 'EVERLOOP_STDOUT_FD'];

const IMAGE = /\.(png|svg|gif|webp|jpe?g|webm|mp4|cast)$/;
const A_PATH = /^(?:src|test|docs|examples|bin|bench|dashboards)\/[\w./*@-]+$/;
const ENVIRONMENT = /\bEVERLOOP_[A-Z_]*[A-Z]\b/g;

const pages = allPages();

const isOutside = (target: string): boolean => /^[a-z][a-z+.-]*:|^\/\//i.test(target);

/** The path that a link of the page leads to, from the root of the repository, and its anchor. */
function placeOf(page: MarkdownPage, target: string): { path: string; anchor: string } {
  const [file = '', anchor = ''] = target.split('#').map(decodeURIComponent);
  const path = file === '' ? page.path : posix.join(posix.dirname(page.path), file);
  return { path, anchor };
}

const namesIn = (text: string, pattern: RegExp): ReadonlySet<string> =>
  new Set([...text.matchAll(pattern)].map(([name, group]) => group ?? name));

const sources = globSync(['src/**/*.ts', 'bin/*'], { cwd: ROOT }).map((path) =>
  readFileSync(join(ROOT, path), 'utf8'),
);
const namedInSource = namesIn(sources.join('\n'), ENVIRONMENT);

describe.each(pages.map((page) => [page.path, page] as const))('%s', (_, page) => {
  const within = page.targets.filter((target) => !isOutside(target));

  test('links to files that are there', () => {
    const lost = within.filter((target) => !isInRepository(placeOf(page, target).path));

    expect(lost).toEqual([]);
  });

  test('links to headings that are there', () => {
    const lost = within.filter((target) => {
      const { path, anchor } = placeOf(page, target);
      if (anchor === '' || !path.endsWith('.md') || !isInRepository(path)) return false;
      return !new MarkdownPage(path).anchors.has(anchor);
    });

    expect(lost).toEqual([]);
  });

  test('leads by https, and to places that somebody has looked at', () => {
    const unknown = page.targets.filter(isOutside).filter((target) => {
      const { protocol, hostname } = new URL(target);
      return protocol !== 'https:' || !HOSTS.has(hostname);
    });

    expect(unknown).toEqual([]);
  });

  test('names files, scripts and variables that are there', () => {
    const paths = page.codeSpans.filter((span) => A_PATH.test(span));
    const scripts = [...namesIn(page.text, /\bnpm run ([a-z][\w:-]*[a-z])(?![\w:*-])/g)];
    const variables = [...namesIn(page.text, ENVIRONMENT)];

    expect({
      paths: paths.filter((path) =>
        path.includes('*') ? globSync(path, { cwd: ROOT }).length === 0 : !isInRepository(path),
      ),
      scripts: scripts.filter((name) => !hasScript(name)),
      variables: variables.filter((name) => !namedInSource.has(name)),
    }).toEqual({ paths: [], scripts: [], variables: [] });
  });
});

test('every variable that the product reads is explained on a page', () => {
  const explained = namesIn(pages.map(({ text }) => text).join('\n'), ENVIRONMENT);

  const silent = [...namedInSource].filter((name) => !explained.has(name));

  expect(silent.sort()).toEqual(BETWEEN_PROCESSES);
});

test('every picture is shown on a page', () => {
  const shown = new Set(
    pages.flatMap((page) => page.targets.map((target) => placeOf(page, target).path)),
  );

  const pictures = readdirSync(join(ROOT, 'docs', 'images'))
    .filter((name) => IMAGE.test(name))
    .map((name) => `docs/images/${name}`);

  expect(pictures.filter((picture) => !shown.has(picture))).toEqual([]);
});
