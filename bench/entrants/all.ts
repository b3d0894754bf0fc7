import { join } from 'node:path';
import { startPostgresEngine } from '../engines/postgres-engine';
import { startRestateEngine } from '../engines/restate-engine';
import { temporalEngine } from '../engines/temporal-engine';
import type { Engine } from '../engines/engine';
import { createPrompt } from '../prompt';
import type { Order } from '../protocol';
import type { Rig } from '../../src/bench/rig';
import { everloopEntrant } from './everloop';
import { emptyLoopEntrant } from './empty-loop';
import type { Entrant } from './entrant';
import { folderOf, installPeer, versionsOf } from './packages';
import { PeerProcess } from './peer-process';

/** They are ended by the server long before. */
const BY_VALUE_MOST_TURNS = 300;

export const ENTRANTS = [
  'everloop',
  'empty-loop',
  'by-value',
  'ai-sdk',
  'langgraph',
  'dbos',
  'restate',
] as const;
export type EntrantName = (typeof ENTRANTS)[number];

/** Entrants with what they need, and the end of all of it. */
export interface Field {
  readonly entrants: readonly Entrant[];
  close(): Promise<void>;
}

/** Installs packages and starts engines, where the chosen ones need them. `bodyBytes`: see `emptyLoopEntrant`. */
export async function openField(
  rig: Rig,
  chosen: readonly EntrantName[],
  bodyBytes: (calls: number) => readonly number[],
): Promise<Field> {
  const closing: (() => Promise<void>)[] = [];
  const log = (line: string): void => rig.log(line);
  const common = {
    model: `${rig.model.url}/whole`,
    temporal: { address: rig.serverAddress },
    postgres: null,
    restate: null,
    prompt: createPrompt(),
  };
  const open: Readonly<Record<EntrantName, () => Promise<Entrant>>> = {
    everloop: async () => everloopEntrant(rig),
    'empty-loop': async () => emptyLoopEntrant(rig, bodyBytes),
    'by-value': async () =>
      entrantOf({
        name: 'by value, by hand',
        versions: '@temporalio/* 1.24.0, @anthropic-ai/sdk 1.12.0',
        script: join(__dirname, '..', 'by-value', 'main.ts'),
        engine: temporalEngine(rig),
        order: common,
        mostTurns: BY_VALUE_MOST_TURNS,
      }),
    'ai-sdk': async () => {
      await installPeer('ai-sdk', log);
      return entrantOf({
        name: '@temporalio/ai-sdk',
        versions: versionsOf('ai-sdk', ['@temporalio/ai-sdk', 'ai']),
        script: join(folderOf('ai-sdk'), 'main.mjs'),
        engine: temporalEngine(rig),
        order: common,
        mostTurns: BY_VALUE_MOST_TURNS,
      });
    },
    langgraph: async () => {
      await installPeer('langgraph', log);
      const engine = await startPostgresEngine();
      closing.push(() => engine.close());
      return entrantOf({
        name: 'LangGraph.js, Postgres',
        versions: versionsOf('langgraph', [
          '@langchain/langgraph',
          '@langchain/langgraph-checkpoint-postgres',
        ]),
        script: join(folderOf('langgraph'), 'main.mjs'),
        engine,
        order: { ...common, postgres: engine.url },
        mostTurns: BY_VALUE_MOST_TURNS,
      });
    },
    dbos: async () => {
      await installPeer('dbos', log);
      const engine = await startPostgresEngine();
      closing.push(() => engine.close());
      return entrantOf({
        name: 'DBOS Transact, Postgres',
        versions: versionsOf('dbos', ['@dbos-inc/dbos-sdk']),
        script: join(folderOf('dbos'), 'main.mjs'),
        engine,
        order: { ...common, postgres: engine.url },
        mostTurns: null,
      });
    },
    restate: async () => {
      await installPeer('restate', log);
      const packages = join(folderOf('restate'), 'node_modules');
      const engine = await startRestateEngine(packages, join(rig.home, 'restate'));
      closing.push(() => engine.close());
      return entrantOf({
        name: 'Restate',
        versions: versionsOf('restate', ['@restatedev/restate-server', '@restatedev/restate-sdk']),
        script: join(folderOf('restate'), 'main.mjs'),
        engine,
        order: { ...common, restate: engine.place },
        mostTurns: null,
      });
    },
  };
  const close = async (): Promise<void> => {
    for (const each of closing) await each();
  };
  const entrants: Entrant[] = [];
  try {
    for (const name of chosen) entrants.push(await open[name]());
  } catch (error) {
    await close();
    throw error;
  }
  return { entrants, close };
}

function entrantOf(of: {
  readonly name: string;
  readonly versions: string;
  readonly script: string;
  readonly engine: Engine;
  readonly order: Omit<Order, 'name'>;
  readonly mostTurns: number | null;
}): Entrant {
  const { script, order, ...entrant } = of;
  return {
    ...entrant,
    hasTools: true,
    start: (name) => PeerProcess.start(script, { ...order, name }),
  };
}
