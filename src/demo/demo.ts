import { join } from 'node:path';
import type { Config } from '../config';
import { FIX_THE_BUG_FILES, FIX_THE_BUG_PROMPT } from '../scripted-model/scripts/fix-the-bug';
import { AgentLines } from './agent-lines';
import type { Check } from './check';
import type { Child } from './child';
import { createDemoSession, type DemoSession } from './demo-session';
import { checkHistory } from './history-checks';
import { SLOW_SECONDS, startModel } from './model-side';
import { checkProject } from './project-checks';
import { followRun, type Run } from './run';
import type { Stage } from './stage';
import type { Story } from './story';
import { findTemporal, type TemporalSide } from './temporal-side';

export interface DemoParts {
  readonly config: Config;
  readonly stage: Stage;
  readonly story: Story;
  /** Ends the demo at once. */
  readonly signal: AbortSignal;
}

const LAUNCHER = join(__dirname, '..', '..', 'bin', 'everloop');
/** The scripted agent does so anyway; a real one has to be asked to leave time for a crash. */
const PROMPT = `${FIX_THE_BUG_PROMPT}\nFor that last run use: sleep ${SLOW_SECONDS} && node sum.test.js`;

/** An agent mends a small project, and its Worker is killed in the middle. Returns what was found out afterwards.
 *  Fails: Error when the run does not come to its end. What it started is ended by the stage. */
export async function playDemo(parts: DemoParts): Promise<readonly Check[]> {
  const { config, stage } = parts;
  const noFile = join(stage.folder, 'no-file');
  const temporal = await findTemporal(config, noFile);
  try {
    return await playWith(temporal, parts);
  } finally {
    await temporal.close();
  }
}

async function playWith(temporal: TemporalSide, parts: DemoParts): Promise<readonly Check[]> {
  const { config, stage, story, signal } = parts;
  const model = await startModel(config, stage);
  const environment = {
    ...process.env,
    ...temporal.environment,
    ...model.environment,
    ...stage.environment,
  };
  const startWorker = (number: number): Child =>
    stage.start({ name: `Worker ${number}`, args: [LAUNCHER, 'worker'], environment });
  const worker = startWorker(1);
  const session = await createDemoSession(temporal.client, environment, stage.project);

  story.tell('Temporal', temporal.description);
  story.tell('Model', model.description);
  story.tell('Project', `${stage.project}: ${Object.keys(FIX_THE_BUG_FILES).join(', ')}`);
  story.tell(worker.name, `process ${worker.pid}: everloop worker`);
  story.tell('Task', PROMPT);
  tellWhereToWatch(story, temporal, session);
  try {
    const run = await followRun({
      session,
      prompt: PROMPT,
      lines: new AgentLines(stage.project),
      stage,
      story,
      signal,
      worker,
      startReplacement: () => startWorker(2),
    });
    return [
      ...checkProject(stage.project),
      ...checkHistory(await session.query.fetchHistory()),
      checkCommands(run, stage),
      ...(await model.checks()),
    ];
  } catch (error) {
    await session.terminate();
    throw error;
  }
}

function tellWhereToWatch(story: Story, { uiUrl }: TemporalSide, { query }: DemoSession): void {
  const { workflowId } = query;
  if (uiUrl === null) story.link('Watch it in the Temporal UI, Workflow', workflowId);
  else story.link('Watch it live:', `${uiUrl}/namespaces/default/workflows/${workflowId}`);
}

/** A command that was started anew after the crash would be a second shell. */
function checkCommands({ commands, survivor }: Run, stage: Stage): Check {
  const shells = stage.shells();
  return {
    claim: `${commands} commands, each started once; process ${survivor} outlived its Worker`,
    problem: shells.length === commands ? null : `${shells.length} shells: ${shells.join(', ')}`,
  };
}
