import { askUserQuestionTool } from './ask-user-question';
import { createBashTool } from './bash';
import type { BashDeps } from './bash';
import { bashOutputTool } from './bash-output';
import { editTool } from './edit';
import { globTool } from './glob';
import { grepTool } from './grep';
import { killShellTool } from './kill-shell';
import { notebookEditTool } from './notebook-edit';
import { readTool } from './read';
import { sleepTool } from './sleep';
import { todoWriteTool } from './todo-write';
import type { Tool } from './tool';
import { createWebFetchTool, type WebFetchDeps } from './web-fetch';
import { webSearchTool } from './web-search';
import { writeTool } from './write';

export interface BuiltInToolDeps extends BashDeps {
  /** Absent: pages of the public web alone. */
  readonly web?: WebFetchDeps;
}

/** The tools that every session has, in the order in which the model is told of them. */
export function builtInTools({ web = {}, ...bash }: BuiltInToolDeps): readonly Tool[] {
  return [
    readTool,
    writeTool,
    editTool,
    notebookEditTool,
    globTool,
    grepTool,
    createBashTool(bash),
    bashOutputTool,
    killShellTool,
    createWebFetchTool(web),
    webSearchTool,
    todoWriteTool,
    askUserQuestionTool,
    sleepTool,
  ];
}

/** By name, or by one of its former names. */
export function findTool(name: string, tools: readonly Tool[]): Tool | undefined {
  return (
    tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.aliases.includes(name))
  );
}
