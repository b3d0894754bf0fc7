import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InboxMessage } from '../message';
import { createFile, makeFolder } from './atomic-write';
import { toStoreError, unlessMissing } from './disk-error';
import { requireFileName } from './file-name';

/** Messages on their way in, one file each. The first with an id stays. */
export class Inbox {
  constructor(private readonly folder: string) {}

  async put(message: InboxMessage): Promise<void> {
    await makeFolder(this.folder);
    await createFile(this.file(message.id), JSON.stringify(message));
  }

  async find(id: string): Promise<InboxMessage | undefined> {
    const path = this.file(id);
    try {
      const text = await unlessMissing(readFile(path, 'utf8'));
      return text === undefined ? undefined : fromMessageText(text);
    } catch (error) {
      throw toStoreError(error, 'read', path);
    }
  }

  private file(id: string): string {
    return join(this.folder, `${requireFileName(id)}.json`);
  }
}

function fromMessageText(text: string): InboxMessage {
  return JSON.parse(text) as InboxMessage;
}
