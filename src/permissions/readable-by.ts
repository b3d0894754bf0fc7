import { findRule } from './match-rule';
import type { PermissionRule } from './rule';

const READ = { name: 'Read', aliases: [] };

/** Whether the rules let a file be read for the model. What they want a person to confirm is not read unasked. */
export function readableBy(rules: readonly PermissionRule[]): (file: string) => boolean {
  return (file) => {
    const call = { tool: READ, input: { file_path: file }, paths: [file] };
    return (
      findRule(rules, 'deny', call) === undefined && findRule(rules, 'ask', call) === undefined
    );
  };
}
