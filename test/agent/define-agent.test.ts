import { defineAgent } from '../../src/agent/define-agent';
import { noteTool } from './served';

test('an agent without tools of its own has those of every session, and the default system prompt', () => {
  const agent = defineAgent({ name: 'plain' });

  expect(agent).toEqual({ name: 'plain', tools: null, systemPrompt: null, hooks: {} });
});

test.each([
  ['no name', { name: ' ' }, 'An agent needs a name'],
  [
    'two tools of one name',
    { name: 'clerk', tools: [noteTool().tool, noteTool().tool] },
    'Agent clerk has two tools named Note. Rename one of them.',
  ],
])('an agent with %s is refused', (_what, definition, message) => {
  expect(() => defineAgent(definition)).toThrow(message);
});
