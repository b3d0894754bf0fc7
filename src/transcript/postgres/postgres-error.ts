import { StoreError, type StoreErrorCode } from '../store-error';

/** The server or the way to it is gone for now: it restarts, fails over, or has too many guests. */
const PASSING_STATES = new Set([
  '25006', // a standby that has not been promoted yet
  '40001',
  '40P01',
  '53300',
  '55P03',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
]);
const PASSING_ERRNOS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);
/** What the driver says without a code when a connection ends under it. */
const PASSING_MESSAGE = /^Connection terminated|timeout|not queryable|Client was closed/i;

/** Whether the same statement may succeed on another connection, soon. */
export function isPassing(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPassing);
  const state = sqlStateOf(error);
  if (state.startsWith('08') || PASSING_STATES.has(state) || PASSING_ERRNOS.has(state)) return true;
  return state === '' && error instanceof Error && PASSING_MESSAGE.test(error.message);
}

/** The unique constraint was violated: somebody, or an earlier attempt of ours, has written it. */
export const isThereAlready = (error: unknown): boolean =>
  error instanceof StoreError && sqlStateOf(error.cause) === '23505';

/** The StoreError for a failed statement. `doing` completes "Cannot …". */
export function toStoreError(error: unknown, doing: string, place: string): StoreError {
  if (error instanceof StoreError) return error;
  const [code, cure] = diagnose(error);
  return new StoreError(code, `Cannot ${doing} ${place} (${seenIn(error)}). ${cure}`, {
    cause: error,
  });
}

function diagnose(error: unknown): [StoreErrorCode, string] {
  const state = sqlStateOf(error);
  if (state === '53100') return ['no_space', 'Free space on the disk of the Postgres server.'];
  if (state === '23503') return ['io', 'The session was deleted; start a new one.'];
  if (state.startsWith('28')) {
    return ['io', 'Correct the user and password in EVERLOOP_STORE (or PGPASSWORD).'];
  }
  if (state === '3D000') return ['io', 'Create the database, or correct EVERLOOP_STORE.'];
  if (state === '42501') {
    return [
      'io',
      'Grant the user of EVERLOOP_STORE the schema (CREATE and USAGE), and its tables.',
    ];
  }
  return ['io', 'Check that the Postgres server is up and can be reached, then try again.'];
}

function seenIn(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(seenIn).join(', ');
  return error instanceof Error ? error.message : String(error);
}

function sqlStateOf(error: unknown): string {
  const isError = typeof error === 'object' && error !== null;
  return isError && 'code' in error ? String(error.code) : '';
}
