import { randomUUID } from 'node:crypto';
import { rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages';
import { collectTurnAttachments } from '../../../src/context/attachments/collect';
import type { TurnAttachment } from '../../../src/context/attachments/turn-attachment';
import type { TurnFacts } from '../../../src/context/attachments/turn-facts';
import type { Attachment } from '../../../src/context/mentions';
import { NO_USAGE } from '../../../src/loop/usage';
import { editTool } from '../../../src/tools/edit';
import { readTool } from '../../../src/tools/read';
import type { Tool } from '../../../src/tools/tool';
import { writeTool } from '../../../src/tools/write';
import type {
  AssistantRecord,
  AttachmentRecord,
  TranscriptRecord,
  UserRecord,
} from '../../../src/transcript/record';
import { createWorkspace, type Workspace } from '../../tools/tool-call';
import { createFolder, type Folder } from '../folder';

/** A conversation in a real folder, its records made by the real tools, as the loop makes them. */
export class Conversation {
  chain: TranscriptRecord[] = [];
  newResults: UserRecord[] = [];
  #minutes = 0;

  private constructor(
    readonly folder: Folder,
    readonly workspace: Workspace,
  ) {}

  static async begin(files: Readonly<Record<string, string | Buffer>> = {}): Promise<Conversation> {
    const folder = await createFolder();
    await folder.write({ 'work/.keep': '', ...files });
    return new Conversation(folder, await createWorkspace());
  }

  get cwd(): string {
    return path.join(this.folder.path, 'work');
  }

  async end(): Promise<void> {
    await this.folder.remove();
    await this.workspace.remove();
  }

  /** Writes a file from outside, at a later time than all before. */
  async change(name: string, text: string | Buffer): Promise<void> {
    const file = path.join(this.cwd, name);
    await writeFile(file, text);
    await this.touch(name);
  }

  async touch(name: string): Promise<void> {
    const later = new Date(Date.now() + ++this.#minutes * 60_000);
    await utimes(path.join(this.cwd, name), later, later);
  }

  async remove(name: string): Promise<void> {
    await rm(path.join(this.cwd, name));
  }

  say(text: string): void {
    this.chain.push({ ...base(), type: 'user', message: { role: 'user', content: text } });
  }

  read(name: string, more: object = {}): Promise<void> {
    return this.#call(readTool, { file_path: name, ...more });
  }

  write(name: string, content: string): Promise<void> {
    return this.#call(writeTool, { file_path: name, content });
  }

  edit(name: string, old_string: string, new_string: string): Promise<void> {
    return this.#call(editTool, { file_path: name, old_string, new_string });
  }

  reply(...content: readonly object[]): AssistantRecord {
    const record: AssistantRecord = {
      ...base(),
      type: 'assistant',
      message: {
        id: randomUUID(),
        type: 'message',
        role: 'assistant',
        model: 'model',
        content: content as readonly ContentBlock[],
        stop_reason: null,
        stop_sequence: null,
        usage: NO_USAGE,
      },
    };
    this.chain.push(record);
    return record;
  }

  facts(more: Partial<TurnFacts> = {}): TurnFacts {
    return {
      chain: this.chain,
      newResults: this.newResults,
      cwd: this.cwd,
      roots: [this.cwd],
      userContext: null,
      startedAt: '2026-11-21T10:00:00.000Z',
      now: new Date('2026-11-21T12:00:00.000Z'),
      shellsFolder: path.join(this.cwd, '..', 'shells'),
      todosFile: path.join(this.cwd, '..', 'todos', 'main.json'),
      hosts: null,
      isMainThread: true,
      offeredTools: ['Read', 'TodoWrite'],
      ...more,
    };
  }

  /** As the expansion of a prompt does. */
  attach(type: 'file', { text, filesSeen: files }: Attachment): void {
    const content = [{ type: 'text', text }] as const;
    this.chain.push({
      ...base(),
      type: 'attachment',
      attachment: { type, content },
      everloop: { files },
    });
  }

  /** What stands beside the turn's results; chained as the caller does it, and the next turn begins. */
  async endTurn(more: Partial<TurnFacts> = {}): Promise<readonly TurnAttachment[]> {
    const { attachments, errors } = await collectTurnAttachments(this.facts(more), {
      limitMs: 20_000,
    });
    if (errors.length > 0) throw new Error(JSON.stringify(errors));
    this.chain.push(...attachments.map(toRecord));
    this.newResults = [];
    return attachments;
  }

  async #call(tool: Tool, input: object): Promise<void> {
    const id = randomUUID();
    this.reply({ type: 'tool_use', id, name: tool.name, input });
    const place = { workingDirectory: this.cwd, roots: [this.cwd] };
    const result = await this.workspace.call(tool, input, place);
    const record: UserRecord = {
      ...base(),
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: result.content as string }],
      },
      everloop: { files: result.filesSeen ?? [] },
    };
    this.chain.push(record);
    this.newResults.push(record);
  }
}

function toRecord({ type, text, filesSeen, keys }: TurnAttachment): AttachmentRecord {
  return {
    ...base(),
    type: 'attachment',
    attachment: { type, content: [{ type: 'text', text }] },
    everloop: { files: filesSeen, attached: { source: type, keys } },
  };
}

const base = () => ({
  uuid: randomUUID(),
  parentUuid: null,
  sessionId: 'session',
  timestamp: '2026-11-21T10:00:00.000Z',
  cwd: '/workspace',
  version: '1.0.0',
  userType: 'external' as const,
  isSidechain: false,
});
