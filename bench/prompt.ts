import { randomText } from '../src/bench/model/random-file';
import type { Order, ToolSchema } from './protocol';

const SYSTEM_BYTES = 8_192;
const DESCRIPTION_BYTES = 600;
/** Beside the two that the script calls: an agent has tools that it does not need today. */
const UNUSED_TOOLS = 18;

/** What stands before the conversation in every request of the peers: 8 KB of system prompt, 20 tools of some
 *  15 KB. everloop has its own. */
export function createPrompt(): Order['prompt'] {
  const unused = Array.from({ length: UNUSED_TOOLS }, (_, index) =>
    toolOf(`Unused${index}`, 'argument'),
  );
  return {
    system: randomText(SYSTEM_BYTES),
    tools: [toolOf('Read', 'file_path'), toolOf('Bash', 'command'), ...unused],
  };
}

const toolOf = (name: string, argument: string): ToolSchema => ({
  name,
  description: randomText(DESCRIPTION_BYTES),
  input_schema: {
    type: 'object',
    properties: { [argument]: { type: 'string', description: `The ${argument}` } },
    required: [argument],
  },
});
