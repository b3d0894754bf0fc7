import type { PermissionMode } from '../loop/state';
import { decidePermission } from '../permissions/decide-permission';
import type { Tool } from '../tools/tool';
import type { QueryCall } from './query-call';
import { rulesFor } from './run-tool/permission-rules';
import { offeredTools } from './tool-catalog';

/** The tools of a request. Nobody can be asked about a call that the API carries out itself, so such a tool is
 *  offered only where rules or the mode allow it, and not where the API has refused it before. */
export async function toolsToOffer(
  query: QueryCall,
  mode: PermissionMode,
): Promise<readonly Tool[]> {
  const offered = offeredTools(query.agent.tools, query.options);
  if (offered.every(({ serverTool }) => serverTool === undefined)) return offered;
  const rules = await rulesFor(query);
  const { cwd: workingDirectory } = query.place;
  return offered.filter((tool) => {
    if (tool.serverTool === undefined) return true;
    if (query.session.refusesServerTools === true) return false;
    const input = {};
    const readOnly = tool.isReadOnly(input);
    const workingDirectories = [workingDirectory];
    const call = { tool, input, mode, rules, workingDirectory, workingDirectories, readOnly };
    return decidePermission(call).behavior === 'allow';
  });
}
