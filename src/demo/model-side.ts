import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config';
import { fixTheBugScript } from '../scripted-model/scripts/fix-the-bug';
import type { Check } from './check';
import type { Stage } from './stage';

/** How long the last command takes: time enough for a Worker to be killed and replaced. */
export const SLOW_SECONDS = 4;

/** Who plays the model. */
export interface ModelSide {
  /** For the story. */
  readonly description: string;
  /** What Workers need to reach it, beside what they inherit. */
  readonly environment: Readonly<Record<string, string>>;
  /** What it saw of the run. */
  checks(): Promise<readonly Check[]>;
}

const Listening = z.object({ url: z.url() });
const Status = z.object({
  requests: z.number(),
  repeats: z.number(),
  unplayed: z.array(z.string()),
  failures: z.array(z.string()),
});

/** The real model if there is a credential for it, else the scripted one, in a process of its own. */
export function startModel(config: Config, stage: Stage): Promise<ModelSide> {
  const hasCredential = config.apiKey !== null || config.authToken !== null;
  return hasCredential ? Promise.resolve(realModel(config)) : scriptedModel(stage);
}

function realModel({ baseUrl }: Config): ModelSide {
  return {
    description: `real, at ${baseUrl}`,
    environment: {},
    checks: () => Promise.resolve([]),
  };
}

async function scriptedModel(stage: Stage): Promise<ModelSide> {
  const script = fixTheBugScript(stage.project, SLOW_SECONDS);
  const main = join(__dirname, '..', 'scripted-model', 'main.js');
  const file = stage.write('script.json', JSON.stringify(script));
  const child = stage.start({
    name: 'Scripted model',
    args: [main, '--script', file, '--until-stdin-ends'],
    environment: process.env,
    isRead: true,
  });
  const { url } = Listening.parse(JSON.parse(await child.firstLine()));
  return {
    description:
      'SCRIPTED: its replies were written beforehand; files, commands and crash are real\n' +
      '(with ANTHROPIC_API_KEY set, the real model plays this part)',
    environment: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'scripted' },
    async checks() {
      const answer = await fetch(`${url}/scripted-model/status`);
      const { requests, repeats, unplayed, failures } = Status.parse(await answer.json());
      return [
        {
          claim: `${requests} model calls, none made twice`,
          problem:
            repeats + unplayed.length + failures.length === 0
              ? null
              : [`${repeats} repeated`, ...unplayed, ...failures].join('; '),
        },
      ];
    },
  };
}
