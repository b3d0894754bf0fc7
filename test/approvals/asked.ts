import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import type { AskedQuestion } from '../../src/client/agent-client';
import type { ApprovalInput, ApprovalKind, ApprovalReceipt } from '../../src/workflows/approval';
import type { Durable } from '../support/durable';
import { call } from '../support/replies';

/** What a message runs with if people are asked. */
export const asking = { options: { permissionMode: 'default', asks: 'people' } } as const;

export const writes = (name: string) => call('Write', { file_path: name, content: name });

export const isWritten = ({ project }: Durable, name: string): boolean =>
  existsSync(join(project, name));

/** Writes the settings of the user, or of the project. */
export function settle(
  { home, project }: Durable,
  place: 'user' | 'project',
  settings: object,
): void {
  const folder = join(place === 'user' ? home : project, '.claude');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
}

/** What waits for people, in the order of the calls, as soon as so many calls do; the test's own time limit is the deadline. */
export async function waiting(
  { agent, sessionId }: Durable,
  count = 1,
): Promise<readonly AskedQuestion[]> {
  for (;;) {
    const questions = await agent.questions(sessionId);
    if (questions.length >= count) {
      return questions.toSorted((a, b) => a.question.call.id.localeCompare(b.question.call.id));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sends the Update as the form of the Temporal UI does: its name, and JSON. */
export function send(
  handle: WorkflowHandle,
  kind: ApprovalKind,
  input: unknown,
): Promise<ApprovalReceipt> {
  return handle.executeUpdate<ApprovalReceipt, [ApprovalInput]>(kind, {
    args: [input as ApprovalInput],
  });
}

/** The words with which the Update was refused. Fails: when it was not. */
export async function refusal(update: Promise<unknown>): Promise<string> {
  const error: unknown = await update.then(
    (receipt) => new Error(`It was not refused: ${JSON.stringify(receipt)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof WorkflowUpdateFailedError) return error.cause?.message ?? '';
  throw error;
}
