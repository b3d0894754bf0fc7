import { isGrpcServiceError } from '@temporalio/client';
import type { Config } from '../../config';
import type { AskServer } from '../../encryption/admission';
import type { CliSearch } from '../../server/find-cli';
import { connectTemporal } from '../../temporal/connect';

/** gRPC codes of PERMISSION_DENIED and UNAUTHENTICATED. */
const DENIED: ReadonlySet<number> = new Set([7, 16]);

/** A connection that asks in the name of others: their token takes the place of this process's own. */
export async function askTemporal(
  config: Config,
  cli: CliSearch,
): Promise<{ readonly namespace: string; readonly ask: AskServer }> {
  const { connection, client } = await connectTemporal(config, cli);
  return {
    namespace: client.options.namespace,
    async ask(token, namespace) {
      const list = () =>
        connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 });
      try {
        await connection.withMetadata({ authorization: `Bearer ${token}` }, list);
        return true;
      } catch (error) {
        if (isGrpcServiceError(error) && DENIED.has(error.code)) return false;
        throw error;
      }
    },
  };
}
