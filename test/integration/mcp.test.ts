// Needs: a Temporal server (started by the run), the MCP reference servers from npm; kills Worker processes.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readProcess } from '../../src/tools/shell/process-table';
import { everything, filesystem, memory, stubborn } from '../mcp/reference-servers';
import { withDurable, type Durable } from '../support/durable';
import { call, calls, says } from '../support/replies';
import { WorkerProcess } from '../support/worker-process';

let root: string;
let project: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-mcp-')));
  project = join(root, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(root, { recursive: true }));

const configure = (mcpServers: object): void =>
  writeFileSync(join(project, '.mcp.json'), JSON.stringify({ mcpServers }));

interface Sent {
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly unknown[];
}
const sent = ({ model }: Durable): readonly Sent[] =>
  model.requests.map(({ body }) => body as unknown as Sent);

const isAlive = (pid: number): boolean => readProcess(pid)?.isZombie === false;

/** Of the server, once it has written it down. */
async function notedPid(notes: string): Promise<number> {
  for (;;) {
    const [, pid] = existsSync(notes)
      ? (/noted by (\d+)\n/.exec(readFileSync(notes, 'utf8')) ?? [])
      : [];
    if (pid !== undefined) return Number(pid);
    await pause(10);
  }
}

test('a folder with .mcp.json has the tools of its servers, and calls reach them', async () => {
  configure({
    files: filesystem(project),
    memory: memory(join(root, 'memory.json')),
    everything: everything(),
  });
  const entity = { name: 'Ada', entityType: 'person', observations: ['counts'] };
  const script = [
    calls(
      call('mcp__everything__echo', { message: 'hello' }),
      call('mcp__files__write_file', { path: join(project, 'a.txt'), content: 'by a server' }),
      call('mcp__memory__create_entities', { entities: [entity] }),
    ),
    says('Done.'),
  ];

  await withDurable({ script, project }, async (durable) => {
    expect(await durable.ask('Work.')).toMatchObject({ subtype: 'success' });

    const [first, second] = sent(durable);
    expect(first?.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Bash', 'mcp__everything__echo', 'mcp__memory__read_graph']),
    );
    expect(second?.tools).toEqual(first?.tools);
    expect(JSON.stringify(second?.messages)).toContain('Echo: hello');
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('by a server');
    expect(readFileSync(join(root, 'memory.json'), 'utf8')).toContain('Ada');
    const started = await durable.told(({ type }) => type === 'query_started');
    expect(started).toMatchObject({
      init: {
        mcpServers: ['everything', 'files', 'memory'].map((name) => ({
          name,
          status: 'connected',
          source: 'project',
        })),
      },
    });
  });
});

test('a server that cannot be started costs its tools only, and people are told why', async () => {
  configure({
    none: { command: 'no-such-program' },
    token: { command: 'x', args: ['${NOT_SET}'] },
  });

  await withDurable({ script: [says('Done.')], project }, async (durable) => {
    expect(await durable.ask('Work.')).toMatchObject({ subtype: 'success', result: 'Done.' });

    const notices = durable.entries.flatMap((entry) =>
      entry.type === 'notice' ? [entry.text] : [],
    );
    expect(notices).toEqual([
      expect.stringContaining('MCP server "none" did not start'),
      expect.stringContaining('MCP server "token" needs NOT_SET, which is not set'),
    ]);
  });
});

test('what a server asks permission for in nobody’s presence is denied, whatever it says of itself', async () => {
  configure({ everything: everything() });
  const script = [calls(call('mcp__everything__echo', { message: 'hello' })), says('Done.')];

  await withDurable({ script, project }, async (durable) => {
    const result = await durable.ask('Work.', { options: { permissionMode: 'default' } });

    expect(result.permission_denials).toMatchObject([{ tool_name: 'mcp__everything__echo' }]);
  });
});

test('prompts of a server are commands, and its resources can be mentioned', async () => {
  configure({ everything: everything() });
  const script = [says('One.'), says('Two.'), says('Three.')];
  const uri = 'demo://resource/dynamic/text/1';

  await withDurable({ script, project }, async (durable) => {
    await durable.ask('/mcp__everything__args-prompt Oslo');
    await durable.ask(`Look at @everything:${uri}`);
    await durable.ask('/mcp__everything__args-prompt');

    const texts = sent(durable).map(({ messages }) => JSON.stringify(messages));
    expect(texts[0]).toContain('Oslo');
    expect(texts[1]).toContain(`<resource server=\\"everything\\" uri=\\"${uri}\\">`);
    expect(texts).toHaveLength(2);
  });
});

test('a call whose Worker is killed has an unknown outcome, is not repeated, and no server outlives the Worker', async () => {
  const notes = join(root, 'notes');
  configure({ stubborn: stubborn(notes) });
  const script = [calls(call('mcp__stubborn__note', {})), says('Done.')];

  await withDurable({ script, project, isServed: false }, async (durable) => {
    let worker = await WorkerProcess.start(durable);
    try {
      const id = await durable.say('Work.');
      const pid = await notedPid(notes);
      await worker.kill();
      worker = await WorkerProcess.start(durable);

      expect(await durable.resultOf(id)).toMatchObject({ subtype: 'success' });

      while (isAlive(pid)) await pause(20);
      const [first, second] = sent(durable);
      expect(second?.tools).toEqual(first?.tools);
      expect(JSON.stringify(second?.messages)).toContain('Outcome unknown:');
      expect(readFileSync(notes, 'utf8').trim().split('\n')).toHaveLength(1);
    } finally {
      await worker.kill();
    }
  });
});

test('a call whose server is killed has an unknown outcome, and the query goes on', async () => {
  const notes = join(root, 'notes');
  configure({ stubborn: stubborn(notes) });
  const script = [
    calls(call('mcp__stubborn__note', {})),
    calls(call('mcp__stubborn__look', {})),
    says('Done.'),
  ];

  await withDurable({ script, project }, async (durable) => {
    const id = await durable.say('Work.');
    process.kill(await notedPid(notes), 'SIGKILL');

    expect(await durable.resultOf(id)).toMatchObject({ subtype: 'success' });
    const texts = sent(durable).map(({ messages }) => JSON.stringify(messages));
    expect(texts[1]).toContain('MCP server \\"stubborn\\" is gone: it was ended by SIGKILL');
    expect(texts[2]).toMatch(/process \d+/);
  });
});
