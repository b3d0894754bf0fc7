import { basename } from 'node:path';
import { disk } from '../../disk/disk';
import type { LiveEvent } from '../session-log';
import { errnoOf, toStoreError } from './disk-error';
import type { FolderWatch } from './folder-watch';
import { readChunk } from './line-reader';

/** First line of a stream in its live file, as long as it goes on and afterwards. Of one length: the second is
 *  written over the first. */
export const OPEN_LINE = '{"open":1}\n';
export const CLOSED_LINE = '{"open":0}\n';

/** Last line of a stream: nothing comes any more. */
export const END_LINE = '{"end":true}\n';

/** Yields the events of a stream until its end line. One that is over, or not there, yields nothing. */
export async function* followLiveFile(
  of: { readonly path: string; readonly begin: number },
  watch: FolderWatch,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent, void> {
  const fd = openLive(of.path);
  if (fd === undefined) return;
  const name = basename(of.path);
  watch.enter();
  try {
    if (!isOpen(fd, of.begin)) return;
    for (let position = of.begin + OPEN_LINE.length; !signal.aborted;) {
      const version = watch.version(name);
      const { lines, used } = readChunk(fd, position);
      for (const { text } of lines) {
        const event = fromLiveText(text);
        if (event === 'end') return;
        if (event !== undefined) yield event;
      }
      position += used;
      if (used > 0) continue;
      const { nlink, size } = disk.fstatSync(fd);
      if (nlink === 0 && size <= position) return;
      await watch.changed(name, version, signal);
    }
  } finally {
    watch.leave();
    disk.closeSync(fd);
  }
}

function isOpen(fd: number, begin: number): boolean {
  const bytes = Buffer.alloc(OPEN_LINE.length);
  const length = disk.readSync(fd, bytes, 0, bytes.length, begin);
  return bytes.toString('utf8', 0, length) === OPEN_LINE;
}

function openLive(path: string): number | undefined {
  try {
    return disk.openSync(path, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw toStoreError(error, 'read', path);
  }
}

/** undefined: a line that a lost process left half written. */
function fromLiveText(text: string): LiveEvent | 'end' | undefined {
  try {
    const json = JSON.parse(text) as LiveEvent | { readonly end: true };
    return 'end' in json ? 'end' : json;
  } catch {
    return undefined;
  }
}
