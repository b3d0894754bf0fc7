// Needs: a Temporal server (started by the run), the built program, git; starts an MCP server.
import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ScriptedRequest } from '../../src/scripted-model/scripted-request';
import { startScriptedModel, type ScriptedModel } from '../../src/scripted-model/scripted-model';
import { call, calls, says } from '../support/replies';
import { writeSampleProject, type SampleProject } from '../support/sample-project';
import { temporalAddress } from '../support/temporal';

jest.setTimeout(180_000);

const REPLIES = [
  calls(call('Skill', { skill: 'notes', args: 'SKILL-ARGUMENTS' })),
  calls(call('Read', { file_path: 'lib/deep.ts' })),
  calls(call('Agent', { subagent_type: 'critic', description: 'look', prompt: 'AGENT-TASK' })),
  calls(call('mcp__memory__read_graph', {})),
  says('Reviewed.'),
];

const isOfAgent = ({ body }: ScriptedRequest): boolean =>
  JSON.stringify(body.system).includes('CRITIC-PROMPT');

let root: string;
let sample: SampleProject;
let model: ScriptedModel;
let messages: readonly Record<string, unknown>[];

/** One run of the program, which all tests look at. */
beforeAll(async () => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'everloop-sample-')));
  sample = writeSampleProject(root);
  let told = 0;
  model = await startScriptedModel({
    isStrict: true,
    script: (request) => {
      if (isOfAgent(request)) return says('AGENT-REPORT');
      return REPLIES[told++] ?? says('Too much.');
    },
  });
  messages = await everloop(
    ...['-p', '/team:review src/a.ts', '--plugin-dir', sample.plugin],
    ...['--output-format', 'stream-json', '--verbose'],
  );
});

afterAll(async () => {
  await model.close();
  rmSync(root, { recursive: true, force: true });
});

function everloop(...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const program = path.join(__dirname, '../../bin/everloop');
  const env = {
    PATH: process.env['PATH'],
    HOME: root,
    EVERLOOP_HOME: path.join(root, 'home'),
    CLAUDE_CONFIG_DIR: sample.configDir,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'test-key',
    TEMPORAL_ADDRESS: temporalAddress(),
  };
  return new Promise((resolve, reject) => {
    const options = { cwd: sample.project, env, maxBuffer: 64 * 1024 ** 2 };
    const child = execFile(process.execPath, [program, ...args], options, (_, stdout, stderr) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      if (read.at(-1)?.['type'] === 'result') resolve(read);
      else reject(new Error(`No result. stderr:\n${stderr}`));
    });
    child.stdin?.end();
  });
}

const ofMain = (): readonly ScriptedRequest[] => model.requests.filter((one) => !isOfAgent(one));
const textOf = (request: ScriptedRequest | undefined): string => JSON.stringify(request?.body);
/** What this request tells that the one before it did not. */
const newIn = (index: number): string =>
  JSON.stringify(ofMain()[index]?.body.messages.slice(ofMain()[index - 1]?.body.messages.length));

test('the run ends well, with a request for each reply', () => {
  expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'Reviewed.' });
  expect(ofMain()).toHaveLength(REPLIES.length);
});

test('clients are told what there is', () => {
  const init = messages.find(({ subtype }) => subtype === 'init');

  expect(init).toMatchObject({
    agents: ['critic', 'general-purpose'],
    skills: ['notes', 'letters'],
    plugins: [{ name: 'tools', path: sample.plugin }],
    mcp_servers: [{ name: 'memory', status: 'connected' }],
  });
  expect(init?.['slash_commands']).toEqual(
    expect.arrayContaining(['compact', 'init', 'team:review', 'tools:ship']),
  );
  expect(init?.['tools']).toEqual(expect.arrayContaining(['Skill', 'mcp__memory__read_graph']));
});

test.each([
  ['memory of the user', 'USER-MEMORY'],
  ['memory of the project', 'PROJECT-MEMORY'],
  ['memory that it imports', 'IMPORTED-MEMORY'],
  ['memory that is not shared', 'LOCAL-MEMORY'],
  ['a rule for all files', 'RULE-FOR-ALL'],
  ['the branch', 'Branch: sample-branch'],
  ['the commits', 'FIRST-COMMIT'],
  ['the text of the command', 'COMMAND-TEXT'],
  ['its argument', 'Review src/a.ts at'],
  ['what its line printed', 'VERSION-OF-THE-PROJECT'],
  ['the line that it mentions', 'MENTIONED'],
  ['a skill of the project, by what it is for', 'notes: SKILL-DESCRIPTION'],
  ['a skill of the user', 'letters: USER-SKILL'],
  ['an agent, by what it is for', 'critic: CRITIC-DESCRIPTION'],
  ['a tool of the MCP server', 'mcp__memory__read_graph'],
  ['what a hook of the session says', 'SESSION-HOOK'],
  [
    'what a hook of the plugin says, with the environment of the settings',
    'PLUGIN-HOOK from settings',
  ],
])('the first request carries %s', (_, text) => {
  expect(textOf(ofMain()[0])).toContain(text);
});

test.each([
  ['a file that only code names', 'NEVER-IMPORTED'],
  ['memory of a folder nobody has been to', 'NESTED-MEMORY'],
  ['a rule for other files', 'RULE-FOR-LIB'],
  ['the body of a skill', 'SKILL-BODY'],
  ['the prompt of an agent', 'CRITIC-PROMPT'],
  ['lines that are not mentioned', 'export const last'],
])('the first request does without %s', (_, text) => {
  expect(textOf(ofMain()[0])).not.toContain(text);
});

test('a skill is read when it is used, with the folder it lies in', () => {
  expect(newIn(1)).toContain('SKILL-BODY for SKILL-ARGUMENTS');
  expect(newIn(1)).toContain(path.join(sample.project, '.claude/skills/notes'));
  expect(textOf(ofMain().at(-1))).not.toContain('NEVER-LOADED');
});

test('hooks speak behind the results of a tool and of a batch', () => {
  expect(newIn(1)).toMatch(/SKILL-BODY.*TOOL-HOOK.*BATCH-HOOK/);
});

test('a read brings the memory and the rules of its folder', () => {
  expect(newIn(2)).toContain('NESTED-MEMORY');
  expect(newIn(2)).toContain('RULE-FOR-LIB');
});

test('an agent works with its own prompt and tools, and its report returns', () => {
  const [ofAgent] = model.requests.filter(isOfAgent);

  expect(ofAgent?.body.tools?.map((tool) => 'name' in tool && tool.name)).toEqual(['Read']);
  expect(textOf(ofAgent)).toMatch(/AGENT-HOOK.*AGENT-TASK/);
  expect(newIn(3)).toContain('AGENT-REPORT');
});

test('a tool of the MCP server runs, because the command allows it', () => {
  expect(newIn(4)).toContain('entities');
  expect(messages.at(-1)).toMatchObject({ permission_denials: [] });
});

test('each request begins with the bytes of the one before', () => {
  const requests = ofMain().map(({ body }) => body);

  for (const [index, { messages: later, system, tools }] of requests.slice(1).entries()) {
    const before = requests[index];
    expect(JSON.stringify(later.slice(0, before?.messages.length))).toBe(
      JSON.stringify(before?.messages),
    );
    expect(JSON.stringify([system, tools])).toBe(JSON.stringify([before?.system, before?.tools]));
  }
});
