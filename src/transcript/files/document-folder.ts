import { join } from 'node:path';
import { disk } from '../../disk/disk';
import { syncFolder } from '../../disk/folder';
import { makeFolder, replaceFile } from './atomic-write';
import { errnoOf, toStoreError, unlessMissing } from './disk-error';
import { requireFileName } from './file-name';
import type { Fence } from './lease-folder';
import { Serial } from './serial';

/** Small documents: `<name>.<epoch>.json`, the highest epoch counts. With the epoch in the name, a zombie that
 *  wakes up between the fence and its rename can replace its own file only. */
export class DocumentFolder {
  private readonly writes = new Serial();

  constructor(private readonly folder: string) {}

  async read(name: string): Promise<unknown> {
    try {
      for (;;) {
        const newest = (await this.epochs(name)).at(-1);
        if (newest === undefined) return undefined;
        const text = await unlessMissing(disk.readFile(this.file(name, newest), 'utf8'));
        // Gone: a newer one was written after the look into the folder.
        if (text !== undefined) return JSON.parse(text) as unknown;
      }
    } catch (error) {
      throw toStoreError(error, 'read', join(this.folder, name));
    }
  }

  async write(
    epoch: number,
    fence: Fence,
    { name, document }: { readonly name: string; readonly document: unknown },
  ): Promise<void> {
    await this.writes.run(async () => {
      await makeFolder(this.folder);
      fence();
      await replaceFile(this.file(name, epoch), JSON.stringify(document));
      fence();
      for (const old of (await this.epochs(name)).filter((one) => one < epoch)) {
        await unlessMissing(disk.unlink(this.file(name, old)));
      }
    });
  }

  async drained(): Promise<void> {
    await this.writes.drained();
  }

  /** Gives every document the epoch of a new holder, so that the holder before can no longer change what counts. */
  async claim(epoch: number): Promise<void> {
    const names = new Set((await this.files()).map((file) => file.name));
    for (const name of names) {
      const newest = (await this.epochs(name)).at(-1);
      if (newest === undefined || newest >= epoch) continue;
      await disk.link(this.file(name, newest), this.file(name, epoch)).catch((error: unknown) => {
        if (errnoOf(error) !== 'EEXIST') throw toStoreError(error, 'claim', this.folder);
      });
    }
    if (names.size > 0) await syncFolder(this.folder);
  }

  private async epochs(name: string): Promise<number[]> {
    return (await this.files())
      .filter((file) => file.name === name)
      .map((file) => file.epoch)
      .sort((a, b) => a - b);
  }

  private async files(): Promise<{ name: string; epoch: number }[]> {
    const entries = (await unlessMissing(disk.readdir(this.folder))) ?? [];
    return entries.flatMap((entry) => {
      const match = /^([^.].*)\.(\d+)\.json$/.exec(entry);
      return match?.[1] === undefined ? [] : [{ name: match[1], epoch: Number(match[2]) }];
    });
  }

  private file(name: string, epoch: number): string {
    return join(this.folder, `${requireFileName(name)}.${epoch}.json`);
  }
}
