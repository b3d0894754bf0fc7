// Needs: the build, and a Temporal server (started by the run).
import { runExample } from './run-example';

test('an agent answers with a tool and a hook of a program', async () => {
  const { stdout, left } = await runExample('own-tool');

  expect(stdout).toContain('The model is SCRIPTED');
  expect(stdout).toMatch(/calls InStock {"fruit":"apples"}\n *calls InStock {"fruit":"pears"}/);
  expect(stdout).toContain('answered after 3 turns: There are no pears.');
  expect(left).toEqual([]);
});

test('a Workflow of somebody’s own goes from triage to an agent to its last step, or past the agent', async () => {
  const { stdout, left } = await runExample('workflow-step');

  expect(stdout).toContain('ticket-1: Prices were subtracted. They are added now.');
  expect(stdout).toContain('ticket-2: Thank you!');
  expect(stdout).toContain('price.js: exports.total = (a, b) => a + b;');
  expect(left).toEqual([]);
});

test('agents of a fleet that reach their budget wait: one gets more and finishes, one is stopped', async () => {
  const { stdout, left } = await runExample('fleet');

  const row = (name: string): readonly string[] =>
    (stdout.split('\n').find((line) => line.includes(`'${name}'`)) ?? '')
      .split('│')
      .map((cell) => cell.trim());
  expect(stdout).toMatch(/south is over its 0.1 USD:\n *it may spend 2 USD/);
  expect(stdout).toMatch(/west is over its 0.1 USD:\n *it is stopped/);
  for (const name of ['north', 'east', 'south']) {
    expect(row(name)).toEqual(expect.arrayContaining(["'completed'", "'46 fruits were sold.'"]));
  }
  expect(row('west').find((cell) => cell.includes('aborted'))).toBeDefined();
  expect(stdout).toMatch(/In all: \d+ turns, 1\.\d\d USD\./);
  expect(left).toEqual([]);
});
