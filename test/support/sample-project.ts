import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { memory } from '../mcp/reference-servers';

const HOOK = (event: string, text: string) => [
  {
    hooks: [
      {
        type: 'command',
        command: `cat > /dev/null; printf '%s' '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } })}'`,
      },
    ],
  },
];

/** A folder as people have it who work with Claude Code. Each text that the model should meet has a word of its own. */
const FILES: Readonly<Record<string, string>> = {
  'CLAUDE.md': 'Project memory PROJECT-MEMORY. See @docs/style.md, not `@docs/never.md`.\n',
  'CLAUDE.local.md': 'LOCAL-MEMORY\n',
  'docs/style.md': 'IMPORTED-MEMORY\n',
  'docs/never.md': 'NEVER-IMPORTED\n',
  VERSION: 'VERSION-OF-THE-PROJECT\n',
  'src/a.ts': 'export const first = 1;\nexport const MENTIONED = 2;\nexport const last = 3;\n',
  'lib/CLAUDE.md': 'NESTED-MEMORY\n',
  'lib/deep.ts': 'export const deep = true;\n',
  '.claude/rules/all.md': 'RULE-FOR-ALL\n',
  '.claude/rules/lib.md': '---\npaths: "lib/**"\n---\nRULE-FOR-LIB\n',
  '.claude/commands/team/review.md':
    '---\ndescription: Reviews a file\nargument-hint: [file]\nallowed-tools: Bash(cat VERSION), mcp__memory__read_graph\n---\nReview $1 at !`cat VERSION` as COMMAND-TEXT, see @src/a.ts#L2.\n',
  '.claude/agents/critic.md':
    '---\nname: critic\ndescription: CRITIC-DESCRIPTION\ntools: Read\n---\nCRITIC-PROMPT\n',
  '.claude/skills/notes/SKILL.md':
    '---\nname: notes\ndescription: SKILL-DESCRIPTION\n---\nSKILL-BODY for $ARGUMENTS\n',
  '.claude/settings.json': JSON.stringify({
    env: { SAMPLE: 'from settings' },
    permissions: { allow: ['Bash(echo:*)'], deny: ['Read(docs/never.md)'] },
    enableAllProjectMcpServers: true,
    hooks: {
      SessionStart: HOOK('SessionStart', 'SESSION-HOOK'),
      PostToolUse: HOOK('PostToolUse', 'TOOL-HOOK'),
      PostToolBatch: HOOK('PostToolBatch', 'BATCH-HOOK'),
      SubagentStart: HOOK('SubagentStart', 'AGENT-HOOK'),
    },
  }),
};

/** What the user has for all projects. */
const USER_FILES: Readonly<Record<string, string>> = {
  'CLAUDE.md': 'USER-MEMORY\n',
  'skills/letters/SKILL.md': '---\ndescription: USER-SKILL\n---\nNEVER-LOADED\n',
};

/** A plugin, given by `--plugin-dir`. */
const PLUGIN_FILES: Readonly<Record<string, string>> = {
  '.claude-plugin/plugin.json': '{"name": "tools"}',
  'commands/ship.md': 'Ship it.\n',
  'hooks/hooks.json': JSON.stringify({
    hooks: {
      UserPromptSubmit: [
        {
          hooks: [
            {
              type: 'command',
              command: 'cat > /dev/null; cat "$CLAUDE_PLUGIN_ROOT/words"; echo "$SAMPLE"',
            },
          ],
        },
      ],
    },
  }),
  words: 'PLUGIN-HOOK ',
};

/** Where the parts of a sample project lie. Absolute. */
export interface SampleProject {
  readonly project: string;
  readonly configDir: string;
  readonly plugin: string;
}

export function writeSampleProject(root: string): SampleProject {
  const sample = {
    project: path.join(root, 'project'),
    configDir: path.join(root, '.claude'),
    plugin: path.join(root, 'plugin'),
  };
  const server = memory(path.join(root, 'memory.jsonl'));
  write(sample.project, {
    ...FILES,
    '.mcp.json': JSON.stringify({ mcpServers: { memory: server } }),
  });
  write(sample.configDir, USER_FILES);
  write(sample.plugin, PLUGIN_FILES);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: sample.project,
    });
  git('init', '-q', '-b', 'sample-branch');
  git('add', 'CLAUDE.md');
  git('commit', '-q', '-m', 'FIRST-COMMIT');
  return sample;
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
