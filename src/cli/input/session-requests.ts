import { planFiles } from '../../checkpoints/plan-rewind';
import { rewindFiles } from '../../checkpoints/rewind-files';
import { findRewindPoint, NoSuchPoint, type RewindPoint } from '../../checkpoints/rewind-point';
import { toContextLimits } from '../../loop/prepare/context-limits';
import { factsOfModel } from '../../loop/price-table';
import { contextTokensOf } from '../../loop/usage';
import { currentLeaf } from '../../transcript/rewound';
import type { SessionStore } from '../../transcript/store';
import type { ControlAnswer } from './control';
import { findText, type JsonObject } from './json-object';

type SessionSubtype = 'rewind_files' | 'get_context_usage' | 'cancel_async_message';

export interface SessionRequestsHost {
  /** The client wants files to be kept, so that they can be given back. */
  readonly keepsFiles: boolean;
  open(): Promise<{
    readonly store: SessionStore;
    readonly isRunning: boolean;
    /** Takes a message back that nobody has taken up. false: it is too late, or it is unknown. */
    withdraw(messageId: string): Promise<boolean>;
  }>;
}

/** What a client asks about its session. */
export class SessionRequests {
  readonly #host: SessionRequestsHost;

  constructor(host: SessionRequestsHost) {
    this.#host = host;
  }

  /** `model`: the one that the next message runs with. */
  async answer(
    subtype: SessionSubtype,
    request: JsonObject,
    { model }: { readonly model: string },
  ): Promise<ControlAnswer> {
    switch (subtype) {
      case 'rewind_files':
        return this.#rewind(
          findText(request, 'user_message_id') ?? '',
          request['dry_run'] === true,
        );
      case 'get_context_usage':
        return success(await contextUsage((await this.#host.open()).store, model));
      case 'cancel_async_message': {
        const session = await this.#host.open();
        const messageId = (findText(request, 'message_uuid') ?? '').toLowerCase();
        return success({ cancelled: await session.withdraw(messageId) });
      }
    }
  }

  async #rewind(messageId: string, isDryRun: boolean): Promise<ControlAnswer> {
    if (!this.#host.keepsFiles) {
      const error =
        'File checkpointing is not enabled. Start with CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true (SDK: enableFileCheckpointing).';
      return { type: 'error', error, code: 'file_checkpointing_disabled' };
    }
    const { store, isRunning } = await this.#host.open();
    if (isRunning) return cannot('The session is at work. Interrupt it, or wait for its result.');
    const point = await findMessage(store, messageId);
    if (typeof point === 'string') return cannot(point);
    const plan = await planFiles(store, point);
    const done = isDryRun ? plan : await rewindFiles(store, plan);
    const isInVain = plan.files.length > 0 && done.files.length === 0;
    if (isInVain)
      return cannot(done.blocked.map(({ path, reason }) => `${path}: ${reason}`).join('; '));
    const sum = (of: 'insertions' | 'deletions') =>
      done.files.reduce((total, file) => total + file[of], 0);
    const skippedLinks = done.blocked.filter(({ isLink }) => isLink).length;
    return success({
      canRewind: true,
      filesChanged: done.files.map(({ path }) => path),
      insertions: sum('insertions'),
      deletions: sum('deletions'),
      ...(!isDryRun && skippedLinks > 0 && { skippedLinks }),
    });
  }
}

const success = (response: JsonObject): ControlAnswer => ({ type: 'success', response });
const cannot = (error: string): ControlAnswer => success({ canRewind: false, error });

/** A text: why there is no such place. */
async function findMessage(store: SessionStore, messageId: string): Promise<RewindPoint | string> {
  try {
    const point = await findRewindPoint(store, messageId.toLowerCase());
    return point.message === null ? `${messageId} is no message of a user.` : point;
  } catch (error) {
    if (error instanceof NoSuchPoint) return error.message;
    throw error;
  }
}

/** As the last reply has counted it. Before the first one nothing is known. */
async function contextUsage(store: SessionStore, model: string): Promise<JsonObject> {
  const leaf = await currentLeaf(store);
  const chain = leaf === null ? [] : await store.chain(leaf);
  const reply = chain.findLast(
    (record) => record.type === 'assistant' && record.isApiErrorMessage !== true,
  );
  const usage = reply?.type === 'assistant' ? reply.message.usage : null;
  const totalTokens = usage === null ? 0 : contextTokensOf(usage);
  const { contextWindow, maxOutputTokens } = factsOfModel(model);
  const { autoCompactAt } = toContextLimits({
    contextWindow,
    maxOutputTokens,
    percentOverride: null,
    autoCompactWindow: null,
  });
  const free = Math.max(0, contextWindow - totalTokens);
  return {
    categories: [
      { id: 'messages', name: 'Messages', tokens: totalTokens, color: 'blue', kind: 'used' },
      { id: 'free_space', name: 'Free space', tokens: free, color: 'gray', kind: 'free' },
    ],
    totalTokens,
    maxTokens: contextWindow,
    rawMaxTokens: contextWindow,
    percentage: Math.round((100 * totalTokens) / contextWindow),
    gridRows: [],
    model,
    memoryFiles: [],
    mcpTools: [],
    agents: [],
    autoCompactThreshold: autoCompactAt,
    isAutoCompactEnabled: true,
    apiUsage: usage,
  };
}
