import { closeSync, fstatSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import type { LiveEvent } from '../session-log';
import { errnoOf, toStoreError } from './disk-error';
import type { FolderWatch } from './folder-watch';
import { readChunk } from './line-reader';

/** Last line of a live file: nothing comes any more. */
export const END_LINE = '{"end":true}\n';

/** Yields the events of a live file until its end line. A file that is not there yields nothing. */
export async function* followLiveFile(
  path: string,
  watch: FolderWatch,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent, void> {
  const fd = openLive(path);
  if (fd === undefined) return;
  const name = basename(path);
  watch.enter();
  try {
    for (let position = 0; !signal.aborted;) {
      const version = watch.version(name);
      const { lines, used } = readChunk(fd, position);
      for (const { text } of lines) {
        const event = fromLiveText(text);
        if (event === 'end') return;
        if (event !== undefined) yield event;
      }
      position += used;
      if (used > 0) continue;
      if (fstatSync(fd).nlink === 0 && fstatSync(fd).size <= position) return;
      await watch.changed(name, version, signal);
    }
  } finally {
    watch.leave();
    closeSync(fd);
  }
}

function openLive(path: string): number | undefined {
  try {
    return openSync(path, 'r');
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
