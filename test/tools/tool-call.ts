import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Tool, ToolContext, ToolResult } from '../../src/tools/tool';
import type { FileSeen } from '../../src/transcript/record';

/** A workspace folder and what a conversation knows of it; `call` validates and calls as the loop does. */
export interface Workspace {
  readonly folder: string;
  context(changes?: Partial<ToolContext>): ToolContext;
  call(tool: Tool, input: unknown, changes?: Partial<ToolContext>): Promise<ToolResult>;
  remove(): Promise<void>;
}

/** What validateInput answered. */
export class Refused extends Error {}

export async function createWorkspace(): Promise<Workspace> {
  const home = await realpath(await mkdtemp(path.join(tmpdir(), 'everloop-tools-')));
  const folder = await mkdtemp(path.join(home, 'workspace-'));
  const filesSeen = new Map<string, FileSeen>();
  let calls = 0;

  const context = (changes: Partial<ToolContext> = {}): ToolContext => ({
    workingDirectory: folder,
    roots: [folder],
    filesSeen,
    callFolder: path.join(home, `call-${++calls}`),
    shellsFolder: path.join(home, 'shells'),
    todosFile: path.join(home, 'todos', 'list.json'),
    askSmallModel: null,
    attempt: 1,
    signal: new AbortController().signal,
    workerGone: new AbortController().signal,
    onProgress: () => undefined,
    ...changes,
  });

  return {
    folder,
    context,
    async call(tool, input, changes) {
      const call = context(changes);
      const parsed = tool.inputSchema.parse(input);
      const refusal = await tool.validateInput(parsed, call);
      if (refusal !== null) throw new Refused(refusal);
      const result = await tool.call(parsed, call);
      for (const seen of result.filesSeen ?? []) filesSeen.set(seen.path, seen);
      return result;
    },
    remove: () => rm(home, { recursive: true, force: true }),
  };
}

export function textOf(result: ToolResult): string {
  if (typeof result.content !== 'string') throw new Error('The result is not plain text.');
  return result.content;
}
