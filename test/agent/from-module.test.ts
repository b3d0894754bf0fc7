import { defineAgent } from '../../src/agent/define-agent';
import { fromModule } from '../../src/agent/from-module';
import { defineConfig } from '../../src/agent/own-code';
import { noteTool } from './served';

const FILE = '/project/everloop.config.ts';
const { tool } = noteTool();
const agent = defineAgent({ name: 'clerk' });
const hooks = { getApiKey: () => 'key' };

test.each<[string, object, object]>([
  ['a config', { default: defineConfig({ tools: [tool], agents: [agent], hooks }) }, { hooks }],
  ['tools and agents by name', { note: tool, clerk: agent }, { hooks: {} }],
  ['a list of both', { default: [tool, agent] }, { hooks: {} }],
])('%s is taken from a module', (_what, exports, { hooks: expected }: { hooks?: object }) => {
  expect(fromModule(exports, FILE)).toEqual({ tools: [tool], agents: [agent], hooks: expected });
});

test.each<[string, unknown, string]>([
  ['no tool', { answer: 42 }, 'exports no tool and no agent (it exports: answer). Write export'],
  ['nothing', undefined, 'exports no tool and no agent (it exports: nothing)'],
  ['an unknown part', { default: { tools: [], tool: [] } }, 'sets "tool", which means nothing'],
  [
    'a tool that defineTool did not make',
    { default: { tools: [{ name: 'Bare' }] } },
    'tools[0] in /project/everloop.config.ts is not a tool but an object with name. Make it: defineTool({...})',
  ],
  [
    'a tool instead of a list',
    { default: { tools: 7 } },
    '"tools" in /project/everloop.config.ts is 7. Make it a list.',
  ],
  [
    'a hook that is no function',
    { default: { hooks: { getApiKey: 'k' } } },
    '"getApiKey" of the hooks',
  ],
  [
    'two tools of one name',
    { one: tool, two: { ...tool } },
    'has two tools named Note. Rename one',
  ],
])(
  'a module with %s is refused, and the message names file and cure',
  (_what, exports, message) => {
    expect(() => fromModule(exports, FILE)).toThrow(message);
  },
);
