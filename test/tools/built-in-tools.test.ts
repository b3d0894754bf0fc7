import { builtInTools, findTool } from '../../src/tools/built-in-tools';
import { defineTool } from '../../src/tools/tool';

const tools = builtInTools({ environment: {} });

test('the tools are those people know, each told to the model', () => {
  expect(tools.map((tool) => tool.name)).toEqual(
    (
      'Read Write Edit NotebookEdit Glob Grep Bash BashOutput KillShell ' +
      'WebFetch WebSearch TodoWrite AskUserQuestion Sleep'
    ).split(' '),
  );
  expect(tools.every((tool) => tool.description.length > 50)).toBe(true);
});

test.each(tools)('$name refuses unknown parameters', (tool) => {
  const parsed = tool.inputSchema.safeParse({ bogus: 1 });

  expect(JSON.stringify(parsed.error?.issues)).toContain('unrecognized_keys');
});

test('a tool is found by its name, else by a former one', () => {
  const renamed = defineTool({ ...tools[0]!, name: 'New', aliases: ['Old', 'Read'] });

  expect(findTool('Old', [renamed])).toBe(renamed);
  expect(findTool('Read', [renamed, ...tools])).toBe(tools[0]);
  expect(findTool('NoSuchTool', tools)).toBeUndefined();
});
