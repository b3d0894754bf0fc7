import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reply, ReplyBlock } from '../../src/scripted-model/reply';
import type { ReplyFunction } from '../../src/scripted-model/script';
import { withDurable, type Durable } from '../support/durable';
import { call, fileIn, text } from '../support/replies';
import { WorkerProcess } from '../support/worker-process';

export const PROMPT = 'Find out why the price tests fail, and repair it.';
export const SECRET = 'hunter2hunter2';

const TEST_COMMAND = './run-tests.sh';
const TESTS = `#!/bin/sh
touch started; until [ -e go ]; do sleep 0.05; done; echo "2 tests passed"
`;

const agent = (description: string): ReplyBlock =>
  call('Agent', { description, prompt: `Please ${description}.` });

const OF_SESSION: readonly Reply[] = [
  {
    content: [
      text('I look around first.'),
      call('Bash', { command: 'sleep 1.3; git status --short' }),
      call('Grep', { pattern: 'price' }),
      call('Bash', { command: 'sleep 0.9; ls -la' }),
    ],
    delayMs: 700,
  },
  { content: [agent('read the price table'), agent('read the tests')], delayMs: 500 },
  { error: { type: 'overloaded_error' } },
  { content: [call('Read', { file_path: 'prices.ts' })], delayMs: 300 },
  {
    content: [
      call('Edit', { file_path: 'prices.ts', old_string: '100', new_string: '1_000' }),
      call('Bash', { command: TEST_COMMAND }),
    ],
    delayMs: 600,
  },
  { content: [call('Bash', { command: `exit 3 # TOKEN=${SECRET}` })], delayMs: 200 },
  { content: [text('The tests pass: a price was given for 100 pieces, not for 1,000.')] },
  { content: [call('Bash', { command: 'touch released' })] },
  { content: [text('Released.')] },
];

const OF_AGENT: readonly Reply[] = [
  {
    content: [call('Glob', { pattern: '*' }), call('Bash', { command: 'sleep 0.8; wc -l *' })],
    delayMs: 400,
  },
  { content: [text('It is as it should be.')], delayMs: 500 },
];

/** Sub-agents ask side by side: each is told apart by what it was asked. */
const answer = (): ReplyFunction => {
  let next = 0;
  return ({ body }) => {
    const isAgent = JSON.stringify(body.messages[0]).includes('Please read');
    const said = body.messages.filter(({ role }) => role === 'assistant').length;
    const reply = isAgent ? OF_AGENT[said] : OF_SESSION[next++];
    return reply ?? { content: [text('There is nothing left to say.')] };
  };
};

/** A session in which much happens: calls and sub-agents side by side, a model that is overloaded, a Worker that is
 *  killed while a command runs, a call that fails, and one that waits for a yes. */
export async function withBusySession(act: (durable: Durable) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'everloop-page-'));
  const project = join(folder, 'shop');
  mkdirSync(project);
  writeFileSync(join(project, 'prices.ts'), 'export const PER = 100;\n');
  writeFileSync(join(project, 'run-tests.sh'), TESTS);
  chmodSync(join(project, 'run-tests.sh'), 0o755);
  try {
    await withDurable({ script: answer(), project, isServed: false }, async (durable) => {
      await repair(durable);
      await release(durable);
      await act(durable);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The Worker that begins it dies, and another one ends it. */
async function repair(durable: Durable): Promise<void> {
  const worker = await WorkerProcess.start(durable);
  try {
    const id = await durable.say(PROMPT);
    await durable.told((one) => one.type === 'tool_started' && one.summary === TEST_COMMAND);
    await fileIn(durable.project, 'started');
    await worker.kill();
    await durable.serve();
    writeFileSync(join(durable.project, 'go'), '');
    await durable.resultOf(id);
  } finally {
    await worker.kill();
  }
}

async function release(durable: Durable): Promise<void> {
  const options = { permissionMode: 'default', asks: 'people' } as const;
  const id = await durable.say('Release it.', { options });
  await durable.told(({ type }) => type === 'permission_requested');
  while ((await durable.agent.questions(durable.sessionId)).length === 0);
  await durable
    .queryHandle(id)
    .executeUpdate('approve', { args: [{ toolUseIds: 'all', who: 'ada' }] });
  await durable.resultOf(id);
}
