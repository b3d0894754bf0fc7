// An MCP server that ends for nobody: it ignores the end of its input and every signal that can be ignored. Its tool
// `note` writes a line into the file NOTES and never answers; `look` answers at once.
const { appendFileSync } = require('node:fs');
const { createInterface } = require('node:readline');

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
setInterval(() => undefined, 1_000);

const TOOLS = [
  { name: 'note', inputSchema: { type: 'object' } },
  { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
];

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'stubborn', version: '1' },
  }),
  'tools/list': () => ({ tools: TOOLS }),
  'tools/call': ({ name }) => {
    if (name === 'look') return { content: [{ type: 'text', text: `process ${process.pid}` }] };
    appendFileSync(process.env.NOTES, `noted by ${process.pid}\n`);
    return undefined;
  },
};

console.log('A greeting that is no message.');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = ANSWERS[method]?.(params);
  if (result !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
