/** How the schema came to be, in order: number 1 is the first. A migration that has been released never changes. */
export const MIGRATIONS: readonly ((schema: string) => string)[] = [
  (s) => `
    CREATE TABLE ${s}.sessions (
      id text PRIMARY KEY,
      cwd text NOT NULL,
      persistent boolean NOT NULL,
      -- Who made it: tells one session from another that had the id before.
      made_by text NOT NULL,
      made_at timestamptz NOT NULL DEFAULT now(),
      meta text NOT NULL
    );
    CREATE INDEX sessions_by_cwd ON ${s}.sessions (cwd);

    -- What every write looks at and most change: narrow, and with room for new versions of a row on its page.
    CREATE TABLE ${s}.heads (
      session text PRIMARY KEY REFERENCES ${s}.sessions ON DELETE CASCADE,
      epoch integer NOT NULL DEFAULT 0,
      worker text,
      owner text,
      is_held boolean NOT NULL DEFAULT false,
      -- Of the acquisition and of the last append to the log: tells a repeat from another.
      acquired_by text,
      logged_by text,
      records integer NOT NULL DEFAULT 0,
      entries integer NOT NULL DEFAULT 0,
      written_at timestamptz NOT NULL DEFAULT now()
    ) WITH (fillfactor = 50);

    CREATE TABLE ${s}.records (
      session text NOT NULL REFERENCES ${s}.sessions ON DELETE CASCADE,
      seq integer NOT NULL,
      uuid text NOT NULL,
      key text NOT NULL,
      part integer NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (session, seq),
      UNIQUE (session, uuid),
      UNIQUE (session, key, part)
    );

    CREATE TABLE ${s}.ledger (
      session text NOT NULL REFERENCES ${s}.sessions ON DELETE CASCADE,
      seq bigint GENERATED ALWAYS AS IDENTITY,
      kind text NOT NULL,
      -- Digest of what may be there once.
      name text NOT NULL,
      written_by text NOT NULL,
      record_id text,
      call_id text,
      -- Of an intent the tool, of a failure the key.
      subject text,
      body text NOT NULL,
      PRIMARY KEY (session, seq),
      UNIQUE (session, name)
    );
    CREATE INDEX ledger_failures ON ${s}.ledger (session, subject) WHERE kind = 'failure';
    CREATE INDEX ledger_files ON ${s}.ledger (session, seq) WHERE kind IN ('change', 'found');

    CREATE TABLE ${s}.log (
      session text NOT NULL REFERENCES ${s}.sessions ON DELETE CASCADE,
      seq integer NOT NULL,
      at text NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (session, seq)
    );

    -- Deltas are a courtesy: they cost no write-ahead log, and a crash of the server may take them.
    CREATE UNLOGGED TABLE ${s}.streams (
      session text NOT NULL REFERENCES ${s}.sessions ON DELETE CASCADE,
      name text NOT NULL,
      ended_at timestamptz,
      PRIMARY KEY (session, name)
    );
    CREATE UNLOGGED TABLE ${s}.deltas (
      session text NOT NULL,
      stream text NOT NULL,
      seq integer NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (session, stream, seq),
      FOREIGN KEY (session, stream) REFERENCES ${s}.streams ON DELETE CASCADE
    );

    CREATE TABLE ${s}.messages (
      session text NOT NULL REFERENCES ${s}.sessions ON DELETE CASCADE,
      id text NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (session, id)
    );
    CREATE TABLE ${s}.answers (
      session text NOT NULL REFERENCES ${s}.sessions ON DELETE CASCADE,
      record_id text NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (session, record_id)
    );
    CREATE TABLE ${s}.documents (
      session text NOT NULL REFERENCES ${s}.sessions ON DELETE CASCADE,
      name text NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (session, name)
    );
    CREATE TABLE ${s}.rewinds (
      session text PRIMARY KEY REFERENCES ${s}.sessions ON DELETE CASCADE,
      body text NOT NULL
    );
    -- In parts, so that no file has to fit into one message of the protocol.
    CREATE TABLE ${s}.kept (
      session text NOT NULL REFERENCES ${s}.sessions ON DELETE CASCADE,
      digest text NOT NULL,
      part integer NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (session, digest, part)
    );
  `,
  (s) => `
    -- Renewed every few seconds by each Worker that lives: narrow, and with room for new versions on the page.
    CREATE TABLE ${s}.workers (
      id text PRIMARY KEY,
      host text NOT NULL,
      -- Whose background sessions it serves; null: those of none, it serves the session of a command.
      workspace text,
      queue text,
      began_at timestamptz NOT NULL DEFAULT now(),
      seen_at timestamptz NOT NULL DEFAULT now(),
      left_at timestamptz
    ) WITH (fillfactor = 50);
    -- Work of a day that one Worker of several does.
    CREATE TABLE ${s}.claims (work text PRIMARY KEY, day text NOT NULL);
    -- When a provider may be asked again: it has refused somebody.
    CREATE TABLE ${s}.provider_pauses (provider text PRIMARY KEY, until timestamptz NOT NULL);

    -- Where the session's calls run; null: wherever its Task Queue is polled.
    ALTER TABLE ${s}.sessions ADD COLUMN workspace text;
    -- When somebody last asked for the lease and was refused, because its holder lives.
    ALTER TABLE ${s}.heads ADD COLUMN wanted_at timestamptz;
    CREATE INDEX heads_wanted ON ${s}.heads (worker) WHERE wanted_at IS NOT NULL;
  `,
  (s) => `
    -- Of the attempt: tells a repeat, whose answer was lost, from another.
    ALTER TABLE ${s}.claims ADD COLUMN claimed_by text;
    -- Hosts that take nothing new.
    CREATE TABLE ${s}.drains (host text PRIMARY KEY, since timestamptz NOT NULL DEFAULT now());
    -- Attempts that it runs, and whether it has heard that it is to take no more: what people wait for.
    ALTER TABLE ${s}.workers ADD COLUMN running integer NOT NULL DEFAULT 0;
    ALTER TABLE ${s}.workers ADD COLUMN is_drained boolean NOT NULL DEFAULT false;
  `,
];
