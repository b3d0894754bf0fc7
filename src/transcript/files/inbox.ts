import { join } from 'node:path';
import { disk } from '../../disk/disk';
import type { InboxMessage } from '../message';
import { createFile, makeFolder } from './atomic-write';
import { toStoreError, unlessMissing } from './disk-error';
import { requireFileName } from './file-name';

/** Every Activity of a query asks for its message. They can be large, so only some are kept. */
const MOST_KNOWN = 8;

/** Messages on their way in, one file each. The first with an id stays. */
export class Inbox {
  private readonly known = new Map<string, InboxMessage>();

  constructor(private readonly folder: string) {}

  async put(message: InboxMessage): Promise<void> {
    await makeFolder(this.folder);
    await createFile(this.file(message.id), JSON.stringify(message));
  }

  async find(id: string): Promise<InboxMessage | undefined> {
    const known = this.known.get(id);
    if (known !== undefined) return known;
    const message = await this.read(id);
    if (message === undefined) return undefined;
    const [oldest] = this.known.keys();
    if (oldest !== undefined && this.known.size >= MOST_KNOWN) this.known.delete(oldest);
    this.known.set(id, message);
    return message;
  }

  /** Gives memory back. */
  rest(): void {
    this.known.clear();
  }

  private async read(id: string): Promise<InboxMessage | undefined> {
    const path = this.file(id);
    try {
      const text = await unlessMissing(disk.readFile(path, 'utf8'));
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
