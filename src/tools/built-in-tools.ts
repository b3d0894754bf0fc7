import { createBashTool } from './bash';
import type { BashDeps } from './bash';
import { editTool } from './edit';
import { globTool } from './glob';
import { grepTool } from './grep';
import { readTool } from './read';
import type { Tool } from './tool';
import { writeTool } from './write';

/** The tools that every session has, in the order in which the model is told of them. */
export function builtInTools(deps: BashDeps): readonly Tool[] {
  return [readTool, writeTool, editTool, globTool, grepTool, createBashTool(deps)];
}

/** By name, or by one of its former names. */
export function findTool(name: string, tools: readonly Tool[]): Tool | undefined {
  return (
    tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.aliases.includes(name))
  );
}
