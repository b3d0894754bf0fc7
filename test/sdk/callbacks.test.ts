// Needs: the build, and a Temporal server (started when missing). The official Agent SDK drives bin/everloop.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, says } from '../support/replies';
import { conversationOf, systemOf } from './conversation-of';
import { isToolResult } from './messages';
import { SdkRig } from './sdk-rig';

let rig: SdkRig;
beforeAll(async () => {
  rig = await SdkRig.start();
});
afterEach(() => rig.forget());
afterAll(() => rig.stop());

const touch = (file: string) => calls(call('Bash', { command: `touch ${file}` }));

describe('canUseTool', () => {
  test('is asked for what rules leave open, and an allowed call runs', async () => {
    const { options, cwd } = await rig.project([touch('made'), says('Done.')]);
    const asked: unknown[] = [];
    const canUseTool = (name: string, input: object) => {
      asked.push([name, input]);
      return { behavior: 'allow', updatedInput: input };
    };

    const query = rig.client.query('touch it', { ...options, canUseTool });

    expect(await query.result()).toMatchObject({ result: 'Done.', permission_denials: [] });
    expect(asked).toEqual([['Bash', { command: 'touch made' }]]);
    expect(existsSync(join(cwd, 'made'))).toBe(true);
  });

  test('may change the input', async () => {
    const { options, cwd } = await rig.project([touch('made'), says('Done.')]);
    const canUseTool = () => ({
      behavior: 'allow',
      updatedInput: { command: 'touch other' },
    });

    await rig.client.query('touch it', { ...options, canUseTool }).result();

    expect([existsSync(join(cwd, 'made')), existsSync(join(cwd, 'other'))]).toEqual([false, true]);
  });

  test('a denied call does not run, the model reads why, and the result lists it', async () => {
    const { options, cwd } = await rig.project([touch('made'), says('I may not.')]);
    const canUseTool = () => ({ behavior: 'deny', message: 'Not on a Sunday.' });

    const query = rig.client.query('touch it', { ...options, canUseTool });

    expect(await query.result()).toMatchObject({
      result: 'I may not.',
      permission_denials: [{ tool_name: 'Bash', tool_input: { command: 'touch made' } }],
    });
    expect(JSON.stringify(query.messages.find(isToolResult))).toContain('Not on a Sunday.');
    expect(existsSync(join(cwd, 'made'))).toBe(false);
  });

  test('deny with interrupt ends the turn', async () => {
    const { options, model } = await rig.project([touch('made'), says('never asked for')]);
    const canUseTool = () => ({ behavior: 'deny', message: 'Stop it.', interrupt: true });

    const query = rig.client.query('touch it', { ...options, canUseTool });

    expect(await query.ended()).not.toBeNull();
    expect(query.requireResult()).toMatchObject({
      subtype: 'error_during_execution',
      // The reply asks while it streams: whether it has come to its end by then, nobody can say.
      terminal_reason: expect.stringMatching(/^aborted_(tools|streaming)$/) as string,
    });
    expect(model.requests).toHaveLength(1);
  });
});

describe('hooks of the client', () => {
  const EVENTS = [
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUse',
    'PostToolUseFailure',
    'PostToolBatch',
    'PermissionRequest',
    'Stop',
    'SubagentStart',
    'SubagentStop',
  ];

  test('each kind is called with what it is about', async () => {
    const { options, cwd } = await rig.project((request) => {
      if (systemOf(request).includes('You help.')) return says('Helped.');
      const results = request.outline.assistantMessages;
      if (results === 0) return calls(call('Bash', { command: 'echo fine' }));
      if (results === 1) return calls(call('Bash', { command: 'exit 3' }));
      if (results === 2) return touch('asked-for');
      if (results === 3) {
        const input = { description: 'help', prompt: 'Help.', subagent_type: 'helper' };
        return calls(call('Task', input));
      }
      return says('Done.');
    });
    const seen: Record<string, unknown>[] = [];
    const hooks = Object.fromEntries(
      EVENTS.map((event) => [event, (input: Record<string, unknown>) => void seen.push(input)]),
    );

    const query = rig.client.query('work', {
      ...options,
      hooks,
      allowedTools: ['Bash(echo:*)', 'Bash(exit:*)'],
      canUseTool: (_name: string, input: object) => ({ behavior: 'allow', updatedInput: input }),
      agents: { helper: { description: 'Helps.', prompt: 'You help.' } },
    });
    await query.result();

    const of = (event: string) => seen.find(({ hook_event_name }) => hook_event_name === event);
    expect(EVENTS.filter((event) => of(event) === undefined)).toEqual([]);
    expect(of('UserPromptSubmit')).toMatchObject({ prompt: 'work', cwd });
    expect(of('PreToolUse')).toMatchObject({
      tool_name: 'Bash',
      tool_input: { command: 'echo fine' },
    });
    expect(of('PostToolUse')).toMatchObject({ tool_name: 'Bash' });
    expect(of('PostToolUseFailure')).toMatchObject({ tool_input: { command: 'exit 3' } });
    expect(of('PermissionRequest')).toMatchObject({ tool_input: { command: 'touch asked-for' } });
    expect(of('Stop')).toMatchObject({ stop_hook_active: false });
  });

  test('PreToolUse may deny a call', async () => {
    const { options, cwd } = await rig.project([touch('made'), says('I may not.')]);
    const PreToolUse = () => ({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'The hook says no.',
      },
    });

    const query = rig.client.query('touch it', {
      ...options,
      allowedTools: ['Bash'],
      hooks: { PreToolUse },
    });
    await query.result();

    expect(JSON.stringify(query.messages.find(isToolResult))).toContain('The hook says no.');
    expect(existsSync(join(cwd, 'made'))).toBe(false);
  });

  test('Stop may send the model back to work', async () => {
    const { options, model } = await rig.project([says('Done.'), says('Now really.')]);
    const Stop = ({ stop_hook_active: isAgain }: { readonly stop_hook_active: boolean }) =>
      isAgain ? {} : { decision: 'block', reason: 'Look again.' };

    const query = rig.client.query('work', { ...options, hooks: { Stop } });

    expect(await query.result()).toMatchObject({ result: 'Now really.' });
    expect(JSON.stringify(model.requests[1]?.body)).toContain('Look again.');
  });
});

test('PreCompact and PostCompact are called around a summary that the user asks for', async () => {
  const { options } = await rig.project([says('Hello.'), says('<summary>We met.</summary>')]);
  const seen: unknown[] = [];
  const note = ({ hook_event_name: event, trigger }: Record<string, unknown>) =>
    void seen.push([event, trigger]);

  const query = rig.client.query(null, {
    ...options,
    hooks: { PreCompact: note, PostCompact: note },
  });
  query.send('Hi');
  await query.untilResults(1);
  query.send('/compact');
  await query.untilResults(2);
  query.end();
  await query.result();

  expect(seen).toEqual([
    ['PreCompact', 'manual'],
    ['PostCompact', 'manual'],
  ]);
});

describe('in-process MCP servers', () => {
  const add = { args: ['a', 'b'], run: ({ a, b }: { a: number; b: number }) => a + b };

  test('a tool of the client is offered, called, and its result goes to the model', async () => {
    const { options, model } = await rig.project([
      calls(call('mcp__calc__add', { a: 2, b: 3 })),
      says('Five.'),
    ]);

    const query = rig.client.query('2 + 3?', {
      ...options,
      servers: { calc: { add } },
      allowedTools: ['mcp__calc__add'],
    });

    expect(await query.result()).toMatchObject({ result: 'Five.' });
    expect(JSON.stringify(query.messages.find(isToolResult)?.message)).toContain('"5"');
    expect(model.requests[0]?.body.tools?.map((tool) => 'name' in tool && tool.name)).toContain(
      'mcp__calc__add',
    );
  });

  test('servers that the client sets between two prompts replace its earlier ones', async () => {
    const { options, model } = await rig.project((request) => {
      const result = conversationOf(request).some((line) => line.startsWith('result:'));
      if (conversationOf(request).length === 1) return says('Ready.');
      return result ? says('Four.') : calls(call('mcp__twice__double', { n: 2 }));
    });
    const query = rig.client.query(null, {
      ...options,
      servers: { calc: { add } },
      allowedTools: ['mcp__calc', 'mcp__twice'],
    });
    query.send('ready?');
    await query.untilResults(1);

    const double = { args: ['n'], run: ({ n }: { n: number }) => 2 * n };
    const set = await query.setServers({ twice: { double } });
    query.send('twice 2?');
    await query.untilResults(2);
    query.end();
    await query.result();

    expect(set).toEqual({ added: ['twice'], removed: ['calc'], errors: {} });
    expect(query.requireResult()).toMatchObject({ result: 'Four.' });
    const offered = model.requests
      .at(-1)
      ?.body.tools?.map((tool) => ('name' in tool ? tool.name : ''));
    expect(offered?.filter((name) => name.startsWith('mcp__'))).toEqual(['mcp__twice__double']);
  });
});
