import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userRecord } from '../activities/new-record';
import { callIn } from '../activities/run-tool/find-call';
import { textOfInputError } from '../activities/run-tool/input-error';
import { failed, refused, runToItsEnd, type Ran } from '../activities/run-tool/tool-run';
import { findOffered } from '../activities/tool-catalog';
import type { ToolCall } from '../loop/deps';
import type { ToolOutcome } from '../loop/outcomes';
import type { ToolContext } from '../tools/tool';
import type { Run } from './run';

/** One tool call, from lookup to its result in the transcript. Never throws. */
export async function runTool(
  run: Run,
  { toolUse, toolUseContext }: ToolCall,
): Promise<ToolOutcome> {
  try {
    const ran = await inCallFolder((callFolder) =>
      checkAndRun(run, toolUse, {
        workingDirectory: toolUseContext.workingDirectory,
        roots: [run.workingDirectory],
        filesSeen: run.transcript.filesSeen(),
        callFolder,
        shellsFolder: null,
        todosFile: null,
        askSmallModel: null,
        attempt: 1,
        signal: run.stop,
        workerGone: new AbortController().signal,
        onProgress: () => undefined,
      }),
    );
    const { content, structured: toolUseResult, isError, denied, result } = ran;
    const block = {
      type: 'tool_result',
      tool_use_id: toolUse.id,
      content,
      ...(isError && { is_error: true }),
    } as const;
    const files = result?.filesSeen ?? [];
    const record = { ...userRecord(run.facts(), [block]), toolUseResult, everloop: { files } };
    run.transcript.holdResult(toolUse, record);
    const workingDirectory = result?.workingDirectory;
    return {
      type: 'done',
      isError,
      ...(denied && { denied }),
      ...(workingDirectory !== undefined && { workingDirectory }),
    };
  } catch (error) {
    if (run.stop.aborted) return { type: 'interrupted' };
    return { type: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

async function inCallFolder<T>(act: (callFolder: string) => Promise<T>): Promise<T> {
  const callFolder = await mkdtemp(join(tmpdir(), 'everloop-call-'));
  try {
    return await act(callFolder);
  } finally {
    await rm(callFolder, { recursive: true, force: true });
  }
}

async function checkAndRun(
  { options, tools, transcript }: Run,
  toolUse: ToolCall['toolUse'],
  context: ToolContext,
): Promise<Ran> {
  const call = callIn(transcript.find(toolUse.recordId), toolUse.id);
  const tool = findOffered(tools, toolUse.name);
  if (tool === undefined) return refused(`Error: No such tool available: ${toolUse.name}`);
  const parsed = tool.inputSchema.safeParse(call?.input);
  if (!parsed.success) return refused(textOfInputError(tool.name, parsed.error, call?.input));
  const invalid = await tool.validateInput(parsed.data, context);
  if (invalid !== null) return refused(invalid);
  const refusal = (await options.refuse?.(tool, parsed.data)) ?? null;
  if (refusal !== null) return { ...failed(refusal), denied: true };
  // The checks took time: a stop that came meanwhile must not find the tool started.
  context.signal.throwIfAborted();
  const ran = await runToItsEnd(tool, parsed.data, context);
  const { content } = ran;
  const surplus = typeof content === 'string' ? content.length - tool.resultLimitChars : 0;
  if (typeof content !== 'string' || surplus <= 0) return ran;
  const cut = content.slice(0, tool.resultLimitChars);
  return { ...ran, content: `${cut}\n… ${surplus} characters left out …` };
}
