import { toRules, type PermissionRule, type RuleOrigin } from '../../permissions/rule';
import type { QueryCall } from '../query-call';
import { queryGrants } from '../query-grants';
import { grantsOf } from './grants';

/** The rules of the settings and of the message, what was granted in the session, and what commands and skills of
 *  the query brought. */
export async function rulesFor(query: QueryCall): Promise<readonly PermissionRule[]> {
  const { deps, place, session } = query;
  const { allow, deny, ask } = await grantsOf(session);
  const origin: RuleOrigin = {
    source: 'session',
    workingDirectory: place.cwd,
    settingsFolder: place.cwd,
    homeFolder: place.cwd,
  };
  return [
    ...(await deps.surroundings.permissionRules(place)),
    ...toRules('deny', deny, origin),
    ...toRules('ask', ask, origin),
    ...toRules('allow', [...allow, ...(await queryGrants(query)).allow], origin),
  ];
}
