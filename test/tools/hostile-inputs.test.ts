import { lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { z } from 'zod';
import { textOfInputError } from '../../src/activities/run-tool/input-error';
import { describeCall } from '../../src/activities/tool-catalog';
import { parseSettings, SettingsError } from '../../src/settings/settings-file';
import { builtInTools, findTool } from '../../src/tools/built-in-tools';
import { ToolError, type Tool } from '../../src/tools/tool';
import { createWorkspace, Refused, type Workspace } from './tool-call';

const RUNS = 2_000;
/** Each of them starts a process. */
const SEARCHES = 200;

const tools = builtInTools({ environment: {} });
const SECRET = 'the words outside';

let workspace: Workspace;
let home: string;
beforeAll(async () => {
  workspace = await createWorkspace();
  home = path.dirname(workspace.folder);
  const inside = (name: string): string => path.join(workspace.folder, name);
  const outside = path.join(home, 'outside');
  await mkdir(outside);
  await mkdir(`${workspace.folder}-twin`);
  await mkdir(inside('sub/deep'), { recursive: true });
  await writeFile(path.join(outside, 'secret.txt'), SECRET);
  await writeFile(path.join(outside, 'secret.ipynb'), `{"cells":[],"x":"${SECRET}"}`);
  await writeFile(`${workspace.folder}-twin/secret.txt`, SECRET);
  await writeFile(inside('a.txt'), 'inside\n');
  const notebook = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };
  await writeFile(inside('n.ipynb'), JSON.stringify(notebook));
  const links = {
    out: '../outside',
    abs: outside,
    file: '../outside/secret.txt',
    'book.ipynb': '../outside/secret.ipynb',
    dangling: '../outside/new.txt',
    chain: 'sub/../out',
    loop: 'loop',
    proc: `/proc/self/root${home}`,
    'sub/up': '../..',
    twin: `${workspace.folder}-twin`,
    within: 'a.txt',
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, inside(name));
});
afterAll(() => workspace.remove());

const SEGMENTS = [
  ...'.. . sub sub/deep sub/up up a.txt A.TXT n.ipynb new.txt new.ipynb out OUT abs file'.split(
    ' ',
  ),
  ...'book.ipynb dangling chain loop proc twin within secret.txt Secret.TXT secret.ipynb outside'.split(
    ' ',
  ),
  ...['..\\..', '%2e%2e', '~', '…', 'a\u0000b', 'x'.repeat(300), ' ', '', 'e\u0301', '\u202e'],
];

/** Ways to say a path, most of them out of the folder, few of them far: should one ever get through, it does
 *  little harm. */
const hostilePath = (): fc.Arbitrary<string> => {
  const starts = [
    '',
    './',
    `/${workspace.folder}/`,
    `${workspace.folder}/`,
    `${workspace.folder}/../`,
  ];
  const others = [
    home,
    path.join(home, 'outside'),
    `${workspace.folder}-twin`,
    `/proc/self/root${home}`,
  ];
  return fc
    .record({
      start: fc.constantFrom(...starts, ...others.map((folder) => `${folder}/`), 'file:///', '~/'),
      parts: fc.array(fc.constantFrom(...SEGMENTS), { maxLength: 4 }),
      end: fc.constantFrom('', '', '/', '/.'),
    })
    .map(({ start, parts, end }) => start + parts.join('/') + end);
};

/** Everything beside the working folder, with what it holds. */
async function worldOutside(): Promise<readonly string[]> {
  const seen: string[] = [];
  const visit = async (file: string): Promise<void> => {
    const facts = await lstat(file);
    if (facts.isDirectory()) {
      seen.push(`${file}/ ${facts.mode}`);
      for (const name of (await readdir(file)).sort()) await visit(path.join(file, name));
      return;
    }
    const content = facts.isSymbolicLink() ? await readlink(file) : await readFile(file, 'utf8');
    seen.push(`${file} ${facts.ino} ${facts.mode} ${facts.mtimeMs} ${content}`);
  };
  for (const name of (await readdir(home)).sort()) {
    const isOwn = name === path.basename(workspace.folder) || /^call-\d+$/.test(name);
    if (!isOwn) await visit(path.join(home, name));
  }
  return seen;
}

/** Calls the tool as the loop does. What it shows; null: it was refused, in words. */
async function tryCall(tool: Tool, input: unknown): Promise<string | null> {
  try {
    const { content } = await workspace.call(tool, input);
    return JSON.stringify(content);
  } catch (error) {
    const isClear = error instanceof Refused || error instanceof ToolError;
    if (!isClear || error.message.length < 10 || error.message.length > 20_000) throw error;
    return null;
  }
}

const requireTool = (name: string): Tool => {
  const tool = findTool(name, tools);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  return tool;
};

/** Objects with the fields of a tool, each with a value of any kind or none, and fields that it does not have. */
function looksLikeInput(tool: Tool): fc.Arbitrary<unknown> {
  const schema = z.toJSONSchema(tool.inputSchema, { io: 'input', unrepresentable: 'any' });
  const names = [...Object.keys(schema.properties ?? {}), '__proto__', 'constructor', 'extra'];
  const value = fc.oneof(
    fc.anything({ withBigInt: true, withDate: true, withMap: true, maxDepth: 3 }),
    fc.constantFrom<unknown>(null, '', 'a', 0, -1, 1e308, NaN, [], {}, true),
  );
  return fc
    .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 6 })
    .map((fields) => JSON.parse(toJson(Object.fromEntries(fields))) as unknown);
}

/** What came over the wire is JSON. */
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? `${inner}n` : inner,
  );

test.each(tools)(
  `${RUNS} inputs: $name takes them or says what is wrong with them`,
  (tool) => {
    const input = fc.oneof(fc.jsonValue(), looksLikeInput(tool));

    fc.assert(
      fc.property(input, (given) => {
        const parsed = tool.inputSchema.safeParse(given);
        if (!parsed.success) {
          const text = textOfInputError(tool.name, parsed.error, given);
          expect(text).toMatch(new RegExp(`^InputValidationError: ${tool.name} failed`));
          expect(text.split('\n').length).toBeGreaterThan(1);
        }
        const call = { id: 'toolu_1', name: tool.name, input: given, recordId: 'record' };
        expect(describeCall(tools, call).summary.length).toBeLessThanOrEqual(200);
      }),
      { numRuns: RUNS },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  },
  120_000,
);

const text = fc.oneof(fc.constantFrom('', 'inside', 'inside\n', '\u0000'), fc.string());
const cell = fc.constantFrom('replace', 'insert', 'delete');

const CALLS: readonly [tool: string, runs: number, input: () => fc.Arbitrary<unknown>][] = [
  ['Write', RUNS, () => fc.record({ file_path: hostilePath(), content: text })],
  [
    'Edit',
    RUNS,
    () =>
      fc.record(
        { file_path: hostilePath(), old_string: text, new_string: text, replace_all: fc.boolean() },
        { requiredKeys: ['file_path', 'old_string', 'new_string'] },
      ),
  ],
  [
    'NotebookEdit',
    RUNS,
    () =>
      fc.record({
        notebook_path: hostilePath(),
        new_source: text,
        edit_mode: cell,
        cell_type: fc.constantFrom('code', 'markdown'),
        cell_id: fc.constantFrom('0', 'cell-0', '__proto__', '-1', 'x'),
      }),
  ],
  ['Read', RUNS, () => fc.record({ file_path: hostilePath() })],
  ['Glob', SEARCHES, () => fc.record({ path: hostilePath(), pattern: hostilePath() })],
  [
    'Grep',
    SEARCHES,
    () =>
      fc.record({
        path: hostilePath(),
        pattern: fc.constantFrom('words', '.', '(', '\\'),
        output_mode: fc.constant('content'),
      }),
  ],
];

test.each(CALLS)(
  '%s with %i hostile paths changes nothing outside, and shows nothing of it',
  async (name, runs, input) => {
    const tool = requireTool(name);
    const before = await worldOutside();

    await fc.assert(
      fc.asyncProperty(input(), async (given) => {
        if (!tool.inputSchema.safeParse(given).success) return;
        expect((await tryCall(tool, given)) ?? '').not.toContain(SECRET);
      }),
      { numRuns: runs },
    );

    expect(await worldOutside()).toEqual(before);
  },
  300_000,
);

test(`${RUNS} edits: the file is as the edit says, or as it was`, async () => {
  const [edit, read] = [requireTool('Edit'), requireTool('Read')];
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '$&', 'é'), maxLength: 6 });
  const file = path.join(workspace.folder, 'edited.txt');

  await fc.assert(
    fc.asyncProperty(letters, letters, letters, fc.boolean(), async (content, from, to, all) => {
      await writeFile(file, content);
      await workspace.call(read, { file_path: file });
      const parts = content.split(from);
      const isFitting = from !== '' && from !== to && (all ? parts.length > 1 : parts.length === 2);

      const input = { file_path: file, old_string: from, new_string: to, replace_all: all };
      const shown = await tryCall(edit, input);

      expect(shown !== null).toBe(isFitting);
      expect(await readFile(file, 'utf8')).toBe(isFitting ? parts.join(to) : content);
    }),
    { numRuns: RUNS },
  );
}, 300_000);

test(`${RUNS} URLs: each can be fetched or is refused, before anybody is asked`, async () => {
  const fetch = requireTool('WebFetch');
  const url = fc.oneof(fc.webUrl({ withFragments: true }), fc.string(), hostilePath());

  await fc.assert(
    fc.asyncProperty(url, async (given) => {
      const input = { url: given, prompt: 'What?' };
      if (!fetch.inputSchema.safeParse(input).success) return;
      const refusal = await fetch.validateInput(input, workspace.context());
      expect(refusal === null || refusal.length > 10).toBe(true);
      if (refusal === null) expect(new URL(given).protocol).toMatch(/^https?:$/);
    }),
    { numRuns: RUNS },
  );
});

const setting = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.array(fc.constantFrom('Bash(npm:*)', 'Read', 'Bash(', ')', '', '*', 'mcp__a'), {
    maxLength: 3,
  }),
);
const settings = fc
  .dictionary(
    fc.constantFrom('permissions', 'env', 'model', 'hooks', 'autoCompactEnabled', '__proto__', 'x'),
    fc.oneof(
      setting,
      fc.dictionary(
        fc.constantFrom('allow', 'deny', 'ask', 'defaultMode', 'additionalDirectories', 'PATH'),
        setting,
      ),
    ),
  )
  .map((value) => JSON.stringify(value, null, 2));

/** Some of it gone, or more in between. */
const damaged = fc
  .tuple(settings, fc.nat(), fc.nat(3), fc.constantFrom('', '', ',', '"', '{', '\u0000', '// x\n'))
  .map(([whole, at, cut, more]) => {
    const start = at % (whole.length + 1);
    return whole.slice(0, start) + more + whole.slice(start + cut);
  });

test(`${RUNS} settings files: each is read, or refused by name with what is wrong`, () => {
  fc.assert(
    fc.property(fc.oneof(settings, damaged, fc.string()), (content) => {
      try {
        expect(parseSettings(content, 'Settings file s.json').permissions).toBeDefined();
      } catch (error) {
        if (!(error instanceof SettingsError)) throw error;
        expect(error.message).toMatch(/^Settings file s\.json/);
        expect(error.message.length).toBeGreaterThan(30);
      }
    }),
    { numRuns: RUNS },
  );
  expect(Object.keys(Object.prototype)).toEqual([]);
});
