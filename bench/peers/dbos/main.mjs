import Anthropic from '@anthropic-ai/sdk';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { agentLoop } from '../loop.mjs';
import { order, serve } from '../program.mjs';

const client = new Anthropic({ baseURL: order.model, apiKey: 'bench' });
const agent = DBOS.registerWorkflow(
  () =>
    agentLoop(
      (name, act) => DBOS.runStep(act, { name, retriesAllowed: true }),
      (request) => client.messages.create(request),
    ),
  { name: 'agent' },
);

DBOS.setConfig({ name: 'bench', systemDatabaseUrl: order.postgres, logLevel: 'error' });
// Launching goes on with the Workflows that this executor left unfinished.
await DBOS.launch();

serve({
  async run({ id }) {
    const handle = await DBOS.startWorkflow(agent, { workflowID: id })();
    await handle.getResult();
  },
  resume: ({ id }) => DBOS.retrieveWorkflow(id).getResult(),
});
