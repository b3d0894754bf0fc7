// Needs: a Temporal server (started by the run), dist (npm run build), Postgres for the page about it.
import { parseCommand } from '../../src/cli/parse-command';
import { noPostgres } from '../transcript/postgres-server';
import { unknownOptionsOf } from './command-help';
import { commandsOf } from './command-lines';
import { complaintsAbout } from './compiler';
import { allPages } from './markdown-page';
import { readAs } from './readers';
import { hasScript, isInRepository } from './repository';
import { isRun, readSnippets, type Snippet } from './snippet';
import { SnippetProject } from './snippet-project';
import { SnippetWorld } from './snippet-world';

// A page is many processes, on a machine that may have much else to do.
jest.setTimeout(1_200_000);

const pages = allPages().map(({ path, blocks }) => ({ path, ...readSnippets(path, blocks) }));

const ofLanguage = (...languages: readonly Snippet['language'][]) =>
  pages
    .flatMap(({ snippets }) => snippets)
    .filter(({ language }) => languages.includes(language))
    .map((snippet) => [snippet.name, snippet] as const);

const canRun = ({ remarks }: Snippet): boolean =>
  remarks.needs !== 'postgres' || noPostgres === null;

test('commands in prose have the options that they are given', () => {
  const lines = allPages().flatMap(({ path, codeSpans }) =>
    codeSpans.filter((span) => span.startsWith('everloop ')).map((span) => ({ path, span })),
  );

  expect(lines.filter(({ span }) => unknownOptionsOf(span).length > 0)).toEqual([]);
});

test('every block says what it is', () => {
  expect(pages.flatMap(({ problems }) => problems)).toEqual([]);
});

test.each(ofLanguage('json', 'jsonc'))('%s is JSON that its reader takes', async (_, snippet) => {
  const { text, remarks } = snippet;

  const json = text.replaceAll(/^\s*\/\/.*$/gm, '');

  expect(() => void JSON.parse(json)).not.toThrow();
  if (remarks.reader !== undefined) await readAs(remarks.reader, json);
});

test.each(ofLanguage('sh'))(
  '%s has commands, options and scripts that there are',
  (_, { text }) => {
    const commands = commandsOf(text);

    for (const [program, first = '', ...rest] of commands) {
      if (program === 'everloop') expect(() => parseCommand([first, ...rest], '1')).not.toThrow();
      if (program === 'npm' && first === 'run')
        expect([rest[0], hasScript(rest[0] ?? '')]).toEqual([rest[0], true]);
      if (program === 'npx' && first === 'tsx')
        expect([rest[0], isInRepository(rest[0] ?? '')]).toEqual([rest[0], true]);
    }
  },
);

describe('in a home of its own', () => {
  const withWork = pages.filter(({ snippets }) =>
    snippets.some((snippet) => isRun(snippet) && canRun(snippet)),
  );
  const projects = new Map<string, SnippetProject>();
  let world: SnippetWorld;
  let complaints: string;

  beforeAll(async () => {
    world = await SnippetWorld.open();
    for (const { path, snippets } of pages) {
      projects.set(path, new SnippetProject(world, path, snippets));
    }
    complaints = await complaintsAbout(
      [...projects.values()].flatMap(({ programs }) => programs),
      world.folder,
    );
  });
  afterAll(() => world.close());

  test('programs have the types of the package', () => {
    expect(complaints).toBe('');
  });

  test.each(withWork.map(({ path, snippets }) => [path, snippets] as const))(
    'what %s says runs, one after the other',
    async (path, snippets) => {
      const project = projects.get(path)!;

      for (const snippet of snippets.filter(canRun)) {
        const { exitCode, said } = await project.perform(snippet);
        const wanted = snippet.remarks.exit;
        expect(exitCode === wanted ? '' : `${snippet.name} ended with ${exitCode}: ${said}`).toBe(
          '',
        );
      }
    },
  );
});
