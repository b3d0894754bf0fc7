import { StoreError, type StoreErrorCode } from '../store-error';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const FORBIDDEN = new Set(['EACCES', 'EPERM', 'EROFS']);
const TOO_MANY = new Set(['EMFILE', 'ENFILE']);

/** The StoreError for a failed system call. `doing` completes "Cannot …": "append to", "read". */
export function toStoreError(error: unknown, doing: string, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const [code, cure] = diagnose(errnoOf(error));
  const seen = error instanceof Error ? error.message : String(error);
  return new StoreError(code, `Cannot ${doing} ${path} (${seen}). ${cure}`, { cause: error });
}

function diagnose(errno: string): [StoreErrorCode, string] {
  if (FULL.has(errno)) {
    return [
      'no_space',
      'Free space on that disk (or raise the quota or file size limit), then try again.',
    ];
  }
  if (FORBIDDEN.has(errno)) {
    return ['io', 'Make the file and its folder writable for this user, then try again.'];
  }
  if (TOO_MANY.has(errno)) return ['io', 'Raise the limit of open files (ulimit -n).'];
  return ['io', 'Check that the disk is mounted and healthy, then try again.'];
}

export function errnoOf(error: unknown): string {
  const isError = typeof error === 'object' && error !== null;
  return isError && 'code' in error ? String(error.code) : '';
}

/** undefined instead of a failure when the file is not there. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
