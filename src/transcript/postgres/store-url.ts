import { StoreError } from '../store-error';

/** What a URL of a Postgres store says. */
export interface StoreUrl {
  /** As the driver takes it: with credentials, without what is only ours. */
  readonly connectionString: string;
  /** Quoted, as it stands in SQL. */
  readonly schema: string;
  /** Host, database and schema: names the store without credentials. */
  readonly place: string;
  /** Connections that one process may hold, beside the one that listens. */
  readonly connections: number;
}

const CONNECTIONS = 10;
const FORM = 'postgres://user@host:5432/database?schema=everloop';

/** Shape: `postgres://user:password@host:port/database?schema=…&place=…&connections=…`; other parameters are the
 *  driver's (`sslmode`).
 *  Fails: StoreError `io` that names what is wrong, never the URL: it may hold a password. */
export function parseStoreUrl(text: string): StoreUrl {
  const url = parse(text);
  const database = url.pathname.slice(1);
  if (!/^postgres(ql)?:$/.test(url.protocol)) throw unusable(`it begins with ${url.protocol}//`);
  if (url.hostname === '' || database === '') throw unusable('it names no host or no database');
  const schema = url.searchParams.get('schema') ?? 'everloop';
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema)) {
    throw unusable(`the schema is "${schema}", but may have 41 of a-z, 0-9 and _ at most`);
  }
  const place =
    url.searchParams.get('place') ??
    `postgres://${url.hostname}:${url.port || '5432'}/${database}/${schema}`;
  const connections = Number(url.searchParams.get('connections') ?? CONNECTIONS);
  if (!Number.isInteger(connections) || connections < 1) {
    throw unusable('connections is not a whole number of 1 or more');
  }
  for (const own of ['schema', 'place', 'connections']) url.searchParams.delete(own);
  return { connectionString: url.href, schema: `"${schema}"`, place, connections };
}

function parse(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw unusable('it is no URL');
  }
}

function unusable(why: string): StoreError {
  return new StoreError('io', `EVERLOOP_STORE cannot be used: ${why}. Set it to ${FORM}.`);
}
