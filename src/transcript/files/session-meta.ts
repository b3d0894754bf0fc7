import { z } from 'zod';
import { disk } from '../../disk/disk';
import type { SessionMeta } from '../store';
import { StoreError } from '../store-error';
import { toStoreError, unlessMissing } from './disk-error';
import { readLines } from './line-reader';

const metaSchema = z.object({
  sessionId: z.string(),
  cwd: z.string(),
  taskQueue: z.string(),
  createdAt: z.string(),
  fingerprint: z.object({
    baseUrl: z.string(),
    credentials: z.enum(['api_key', 'auth_token', 'none']),
  }),
  persistent: z.boolean(),
});

/** undefined: there is no such file. */
export async function readMeta(path: string): Promise<SessionMeta | undefined> {
  try {
    const text = await unlessMissing(disk.readFile(path, 'utf8'));
    return text === undefined ? undefined : metaSchema.parse(JSON.parse(text));
  } catch (error) {
    throw toStoreError(error, 'read', path);
  }
}

/** What a transcript says of its session: for those that another program has recorded. */
export async function metaFromTranscript(
  path: string,
): Promise<Pick<SessionMeta, 'cwd' | 'createdAt'>> {
  for await (const lines of readLines(path)) {
    for (const { text } of lines) {
      const seen = fromTextWithCwd(text);
      if (seen === undefined) continue;
      const createdAt = seen.timestamp ?? birthOf(path);
      return { cwd: disk.existsSync(seen.cwd) ? disk.realpathSync(seen.cwd) : seen.cwd, createdAt };
    }
  }
  throw new StoreError(
    'damaged',
    `${path} has no record that names its working folder (cwd), so its session cannot be resumed. Start a new session.`,
  );
}

function birthOf(path: string): string {
  return new Date(disk.statSync(path)?.birthtimeMs ?? 0).toISOString();
}

const placedSchema = z.looseObject({ cwd: z.string(), timestamp: z.iso.datetime().optional() });

function fromTextWithCwd(text: string): z.infer<typeof placedSchema> | undefined {
  try {
    return placedSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
