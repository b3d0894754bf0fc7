import { ApplicationFailure } from '@temporalio/workflow';
import type { Adjustment, Workspace } from './interface';

/** Two changes as one; the later one counts where both speak. */
export const adjusted = (before: Adjustment | null | undefined, after: Adjustment): Adjustment => ({
  ...before,
  ...after,
});

type Check = readonly [isGood: (value: unknown) => boolean, wanted: string];

const text = (most: number) => (value: unknown) =>
  typeof value === 'string' && value.length > 0 && value.length <= most;
const limit = (value: unknown): boolean =>
  value === null || (typeof value === 'number' && Number.isFinite(value) && value > 0);
const count = (value: unknown): boolean =>
  limit(value) && (value === null || Number.isInteger(value));

/** Of a length that history can bear. */
const isWorkspace = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'taskQueue' in value &&
  text(100)(value.name) &&
  text(100)(value.taskQueue) &&
  (!('taken' in value) || areKeys(value.taken));

const MOST_KEYS = 100;

const areKeys = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= MOST_KEYS && value.every(text(100));

const MODES = ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk', 'auto'];

/** A pause has Signals of its own. */
const CHECKS: Readonly<Record<Exclude<keyof Adjustment, 'paused'>, Check>> = {
  model: [text(100), 'the name of a model'],
  permissionMode: [(value) => MODES.some((mode) => mode === value), `one of ${MODES.join(', ')}`],
  maxTurns: [count, 'a whole number of turns above 0, or null for no limit'],
  maxTokens: [count, 'a whole number of tokens above 0, or null for no limit'],
  maxBudgetUsd: [limit, 'an amount of USD above 0, or null for no limit'],
  maxMs: [limit, 'a number of milliseconds above 0, or null for no limit'],
  workspace: [isWorkspace, 'a workspace, as everloop workspace move names it'],
};

/** It may have been typed into a form. Fails: `Session.BadChange` (final), with the field, its value and the cure. */
export function refuseAdjustment(change: unknown): void {
  const fields =
    typeof change === 'object' && change !== null && !Array.isArray(change)
      ? Object.entries(change)
      : [];
  const known = Object.keys(CHECKS).join(', ');
  if (fields.length === 0) {
    throw badChange(`A change is an object with at least one of ${known}, got ${shown(change)}.`);
  }
  for (const [field, value] of fields) {
    const check = Object.entries(CHECKS).find(([name]) => name === field)?.[1];
    if (check === undefined) throw badChange(`'${field}' cannot be changed. Known: ${known}.`);
    const [isGood, wanted] = check;
    if (!isGood(value)) throw badChange(`'${field}' is ${shown(value)}. It must be ${wanted}.`);
  }
}

/** `workspace`: the session's. Fails: `Session.BadChange` (final) where it has none. */
export function refuseMove(workspace: Workspace | undefined): void {
  if (workspace !== undefined) return;
  throw badChange('The session has no workspace: it runs where its command or its Worker runs.');
}

const shown = (value: unknown): string => JSON.stringify([value]).slice(1, -1).slice(0, 100);

const badChange = (message: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message.slice(0, 500), 'Session.BadChange');
