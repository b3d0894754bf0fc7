import { State, type PermissionMode } from './state';

/** What people changed while the query ran, since the loop last heard of it. Absent: as it is. */
export interface QueryChanges {
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
}

/** The same State, for an iteration that runs with what was changed. */
export function withChanges(state: State, changes: QueryChanges | null | undefined): State {
  if (changes == null) return state;
  const { autoCompactTracking, toolUseContext } = state;
  const { model = toolUseContext.model, permissionMode = toolUseContext.permissionMode } = changes;
  return State.informed(state, {
    autoCompactTracking,
    toolUseContext: { ...toolUseContext, model, permissionMode },
  });
}
