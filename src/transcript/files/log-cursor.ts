import type { LogCursor } from '../session-log';

/** A place in a log file. The generation is a random word in the file's first line: a take-over copies it with
 *  every other byte, so cursors stay good; a file that begins anew gets another, and they start over. */
export interface LogPlace {
  readonly generation: string;
  readonly offset: number;
}

/** Before the first line of a log that is not there yet. */
export const NOWHERE: LogPlace = { generation: '-', offset: 0 };

export function toCursor({ generation, offset }: LogPlace): LogCursor {
  return `${generation}:${offset}`;
}

export function fromCursor(cursor: LogCursor | null): LogPlace {
  const match = /^([^:]+):(\d+)$/.exec(cursor ?? '');
  if (match?.[1] === undefined) return NOWHERE;
  return { generation: match[1], offset: Number(match[2]) };
}

export function headerLine(generation: string): string {
  return `${JSON.stringify({ generation })}\n`;
}

export function fromHeaderText(text: string): string | undefined {
  return /^\{"generation":"(\w+)"\}$/.exec(text)?.[1];
}
