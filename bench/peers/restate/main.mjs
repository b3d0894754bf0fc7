import Anthropic from '@anthropic-ai/sdk';
import * as restate from '@restatedev/restate-sdk';
import { agentLoop } from '../loop.mjs';
import { order, serve } from '../program.mjs';

const client = new Anthropic({ baseURL: order.model, apiKey: 'bench' });
const agent = restate.workflow({
  name: 'agent',
  handlers: {
    run: (context) =>
      agentLoop(
        (name, act) => context.run(name, act),
        (request) => client.messages.create(request),
      ),
  },
});

// A successor listens where the server looks for it.
const port = order.restate.servicePort;
await restate.serve({ services: [agent], port, logger: () => undefined });
await post(order.restate.admin, '/deployments', { uri: `http://127.0.0.1:${port}`, force: true });

serve({
  async run({ id }) {
    await post(order.restate.ingress, `/agent/${id}/run/send`, undefined);
    await attach(id);
  },
  // The server calls again by itself.
  resume: ({ id }) => attach(id),
});

async function attach(id) {
  const response = await fetch(`${order.restate.ingress}/restate/workflow/agent/${id}/attach`);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

async function post(base, path, body) {
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}
