import { join } from 'node:path';
import { disk } from '../../disk/disk';
import type { ToolUseRef } from '../../loop/context';
import type { PermissionAnswer } from '../permission';
import { createFile, makeFolder } from './atomic-write';
import { toStoreError, unlessMissing } from './disk-error';
import { requireFileName } from './file-name';

/** Answers to permission questions, one file each. Anybody may write one; the first for a call stays. */
export class Answers {
  constructor(private readonly folder: string) {}

  /** Returns the answer that counts. */
  async put(call: ToolUseRef, answer: PermissionAnswer): Promise<PermissionAnswer> {
    await makeFolder(this.folder);
    await createFile(this.file(call), JSON.stringify(answer));
    return (await this.find(call)) ?? answer;
  }

  async find(call: ToolUseRef): Promise<PermissionAnswer | undefined> {
    const path = this.file(call);
    try {
      const text = await unlessMissing(disk.readFile(path, 'utf8'));
      return text === undefined ? undefined : (JSON.parse(text) as PermissionAnswer);
    } catch (error) {
      throw toStoreError(error, 'read', path);
    }
  }

  private file({ recordId }: ToolUseRef): string {
    return join(this.folder, `${requireFileName(recordId)}.json`);
  }
}
