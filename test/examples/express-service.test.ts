// Needs: the build, and a Temporal server (started by the run). The official Agent SDK drives bin/everloop.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Client, Connection } from '@temporalio/client';
import { startScriptedModel, type ScriptedModel } from '../../src/scripted-model/scripted-model';
import { calls, fileIn, heldCommand, says } from '../support/replies';
import { temporalAddress } from '../support/temporal';
import { newHome, startExample } from './run-example';

const home = newHome();
const project = path.join(home, 'project');
let model: ScriptedModel;
let service: ChildProcess | null = null;
beforeAll(async () => {
  mkdirSync(project);
  model = await startScriptedModel({
    script: [calls(heldCommand()), says('It went.')],
    match: 'conversation',
    isStrict: true,
  });
});
afterAll(async () => {
  await end('SIGKILL');
  await model.close();
  rmSync(home, { recursive: true, force: true });
});

/** Resolves with the address of the service when it listens. */
async function start(): Promise<string> {
  const environment = {
    HOME: home,
    TEMPORAL_ADDRESS: temporalAddress(),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'test-key',
    PORT: '0',
  };
  service = startExample('express-service', environment, project);
  for await (const line of createInterface({ input: service.stdout! })) {
    const url = /^The service listens at (.*)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('The service ended before it listened.');
}

/** The service, and what it has started: as the end of a container. Resolves with its exit code. */
async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
  if (service?.pid === undefined || service.exitCode !== null || service.signalCode !== null) {
    return null;
  }
  const gone = once(service, 'exit') as Promise<[number | null]>;
  process.kill(-service.pid, signal);
  return (await gone)[0];
}

interface Event {
  readonly type: string;
  readonly result?: string;
}

/** All events of the session, until the service ends the stream. `onFirst`: called when the first has come. */
async function eventsOf(url: string, onFirst: () => void): Promise<readonly Event[]> {
  const events: Event[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  const { body } = await fetch(url);
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n\n');
    rest = lines.pop() ?? '';
    events.push(...lines.map((line) => JSON.parse(line.slice('data: '.length)) as Event));
    if (events.length > 0) onFirst();
  }
  return events;
}

/** Of the Workers that have worked for the project. */
async function workerIdentities(): Promise<readonly string[]> {
  const connection = await Connection.connect({ address: temporalAddress() });
  try {
    const { workflow } = new Client({ connection });
    const identities = new Set<string>();
    for await (const { workflowId } of workflow.list({
      query: `EverloopWorkspace = '${project}'`,
    })) {
      const { events } = await workflow.getHandle(workflowId).fetchHistory();
      for (const event of events ?? []) {
        const { identity } =
          event.activityTaskStartedEventAttributes ??
          event.workflowTaskStartedEventAttributes ??
          {};
        if (identity?.startsWith('w-')) identities.add(identity);
      }
    }
    return [...identities];
  } finally {
    await connection.close();
  }
}

test('a service that is killed in the middle of a tool goes on with the session when it is started again', async () => {
  const first = await start();
  const answer = await fetch(`${first}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'Run it.' }),
  });
  const { id } = (await answer.json()) as { readonly id: string };
  await fileIn(project, 'started');
  await end('SIGKILL');

  const second = await start();
  const go = (): void => writeFileSync(path.join(project, 'go'), '');
  const events = await eventsOf(`${second}/sessions/${id}/events`, go);

  expect(events.at(-1)).toMatchObject({ type: 'result', result: 'It went.' });
  expect(JSON.stringify(events)).toContain('Run it.');
  expect(readFileSync(path.join(project, 'runs'), 'utf8').trim().split('\n')).toHaveLength(1);
  expect(model.requests).toHaveLength(2);
  expect((await workerIdentities()).length).toBeGreaterThanOrEqual(2);
  expect((await fetch(`${second}/sessions/unknown/events`)).status).toBe(404);
  expect(await end('SIGTERM')).toBe(0);
});
