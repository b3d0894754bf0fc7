import type { Activities } from './interface';

/** Activities whose making goes on, or begins later: each call waits for it. */
export function laterActivities(made: () => Promise<Activities>): Activities {
  return {
    callModel: async (input) => (await made()).callModel(input),
    runTool: async (input) => (await made()).runTool(input),
    compact: async (input) => (await made()).compact(input),
    drainCollapses: async (messages) => (await made()).drainCollapses(messages),
    runStopHooks: async (input) => (await made()).runStopHooks(input),
    endTurn: async (input) => (await made()).endTurn(input),
    summarizeToolUse: async (input) => (await made()).summarizeToolUse(input),
    verifyApproval: async (input) => (await made()).verifyApproval(input),
    finishQuery: async (input) => (await made()).finishQuery(input),
    endShells: async () => (await made()).endShells(),
    beginTask: async (task) => (await made()).beginTask(task),
    beginScheduled: async (name) => (await made()).beginScheduled(name),
    lookAtFolder: async (sessionId) => (await made()).lookAtFolder(sessionId),
    reportTask: async (answer) => (await made()).reportTask(answer),
  };
}
