import { z } from 'zod';
import {
  NO_GRANTS,
  type PermissionAnswer,
  type PermissionGrants,
} from '../../transcript/permission';
import type { JsonObject } from './json-object';

const Rule = z.object({ toolName: z.string(), ruleContent: z.string().optional() });

/** What an answer changes for later calls. Kinds that we cannot keep in a session are left out. */
const PermissionUpdate = z.union([
  z.object({
    type: z.enum(['addRules', 'replaceRules']),
    rules: z.array(Rule),
    behavior: z.enum(['allow', 'deny', 'ask']),
  }),
  z.object({ type: z.literal('addDirectories'), directories: z.array(z.string()) }),
]);

const Answer = z.union([
  z.object({
    behavior: z.literal('allow'),
    updatedInput: z.record(z.string(), z.unknown()).nullish(),
    updatedPermissions: z.array(z.unknown()).nullish(),
  }),
  z.object({
    behavior: z.literal('deny'),
    message: z.string().default('The permission was denied.'),
    interrupt: z.boolean().nullish(),
  }),
]);

/** The host's answer to `can_use_tool`. An error, or what is no answer, is a no. */
export function toPermissionAnswer(response: JsonObject | null, error: string): PermissionAnswer {
  const by = 'host';
  if (response === null) {
    return { behavior: 'deny', message: `The permission question failed: ${error}`, by };
  }
  const parsed = Answer.safeParse(response);
  if (!parsed.success) {
    const message = `The permission question was answered with ${JSON.stringify(response).slice(0, 200)}, which is neither allow nor deny.`;
    return { behavior: 'deny', message, by };
  }
  const answer = parsed.data;
  if (answer.behavior === 'deny') {
    const { message, interrupt } = answer;
    return { behavior: 'deny', message, by, ...(interrupt === true && { interrupt: true }) };
  }
  const { updatedInput, updatedPermissions } = answer;
  return {
    behavior: 'allow',
    by,
    ...(updatedInput != null && { updatedInput }),
    ...(updatedPermissions != null && { grants: toGrants(updatedPermissions) }),
  };
}

function toGrants(updates: readonly unknown[]): PermissionGrants {
  return updates.reduce<PermissionGrants>((grants, update) => {
    const parsed = PermissionUpdate.safeParse(update);
    if (!parsed.success) return grants;
    if (parsed.data.type === 'addDirectories') {
      return { ...grants, directories: [...grants.directories, ...parsed.data.directories] };
    }
    const { behavior, rules } = parsed.data;
    const texts = rules.map(({ toolName, ruleContent }) =>
      ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
    );
    return { ...grants, [behavior]: [...grants[behavior], ...texts] };
  }, NO_GRANTS);
}
