import type { Tool } from '../tools/tool';
import type { AgentHooks } from './agent-hooks';
import type { Agent } from './define-agent';
import { NO_OWN_CODE, type OwnCode } from './own-code';
import { OwnCodeError } from './own-code-error';

type Exports = Readonly<Record<string, unknown>>;

const PARTS = ['tools', 'agents', 'hooks'];

/** What a module brings: a config as its default export (`defineConfig`), or tools and agents as any exports, one
 *  by one or in lists. Fails: OwnCodeError. */
export function fromModule(exports: unknown, file: string): OwnCode {
  const named = isObject(exports) ? exports : {};
  const { default: main } = named;
  const code = isConfig(main) ? fromConfig(main, file) : fromExports(named, file);
  requireOfOneName(code.tools, 'tools', file);
  requireOfOneName(code.agents, 'agents', file);
  return code;
}

const isConfig = (main: unknown): main is Exports =>
  isObject(main) && !isTool(main) && !isAgent(main) && PARTS.some((part) => part in main);

function fromConfig(config: Exports, file: string): OwnCode {
  const unknown = Object.keys(config).find((key) => !PARTS.includes(key));
  if (unknown !== undefined) {
    throw new OwnCodeError(
      `${file} sets "${unknown}", which means nothing here. It may set ${PARTS.join(', ')}.`,
    );
  }
  return {
    tools: list(config, 'tools', file).map((one, index) => {
      if (isTool(one)) return one;
      throw notOne(`tools[${index}]`, 'a tool', 'defineTool({...})', one, file);
    }),
    agents: list(config, 'agents', file).map((one, index) => {
      if (isAgent(one)) return one;
      throw notOne(`agents[${index}]`, 'an agent', 'defineAgent({...})', one, file);
    }),
    hooks: toHooks(config['hooks'] ?? {}, file),
  };
}

function fromExports(named: Exports, file: string): OwnCode {
  const values = [...new Set(Object.values(named).flat())];
  const tools = values.filter(isTool);
  const agents = values.filter(isAgent);
  if (tools.length + agents.length > 0) return { ...NO_OWN_CODE, tools, agents };
  throw new OwnCodeError(
    `${file} exports no tool and no agent (it exports: ${Object.keys(named).join(', ') || 'nothing'}). Write export default defineConfig({ tools: [...] }), or export what defineTool made.`,
  );
}

function list(config: Exports, part: 'tools' | 'agents', file: string): readonly unknown[] {
  const value = config[part] ?? [];
  if (Array.isArray(value)) return value;
  throw new OwnCodeError(`"${part}" in ${file} is ${shown(value)}. Make it a list.`);
}

function toHooks(value: unknown, file: string): AgentHooks {
  const wrong = isObject(value)
    ? Object.entries(value).find(([, hook]) => hook !== undefined && typeof hook !== 'function')
    : ['hooks', value];
  if (wrong === undefined) return value as AgentHooks;
  throw new OwnCodeError(
    `"${String(wrong[0])}" of the hooks in ${file} is ${shown(wrong[1])}. Hooks are functions by name: { beforeToolCall(call) {...} }.`,
  );
}

/** As `defineTool` makes it; by its form, because the one that made it may be of another copy of this package. */
const isTool = (value: unknown): value is Tool =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  typeof value['call'] === 'function' &&
  typeof value['isConcurrencySafe'] === 'function';

/** As `defineAgent` makes it. */
const isAgent = (value: unknown): value is Agent =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  'systemPrompt' in value &&
  isObject(value['hooks']);

function requireOfOneName(
  all: readonly { readonly name: string }[],
  part: string,
  file: string,
): void {
  const twice = all.find(({ name }, index) => all.findIndex((one) => one.name === name) !== index);
  if (twice === undefined) return;
  throw new OwnCodeError(`${file} has two ${part} named ${twice.name}. Rename one of them.`);
}

const notOne = (where: string, what: string, maker: string, value: unknown, file: string) =>
  new OwnCodeError(`${where} in ${file} is not ${what} but ${shown(value)}. Make it: ${maker}`);

function isObject(value: unknown): value is Exports {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = isObject(value)
    ? `an object with ${Object.keys(value).join(', ') || 'nothing in it'}`
    : String(value);
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
