import path from 'node:path';
import { resolveLinks } from '../../permissions/file-target';
import { addGrants, GRANTS, NO_GRANTS, type PermissionGrants } from '../../transcript/permission';
import type { ServedSession } from '../served-sessions';

/** What people granted while the session ran. Read once per process: only this one writes it. */
export async function grantsOf(session: ServedSession): Promise<PermissionGrants> {
  const stored = session.grants ?? (await session.store.readDocument(GRANTS));
  // Somebody may have granted more meanwhile.
  return (session.grants ??= (stored as PermissionGrants | undefined) ?? NO_GRANTS);
}

/** Several calls may be answered at once: none of their grants may write over another. */
const granting = new WeakMap<ServedSession, Promise<void>>();

/** On disk when it resolves: what it allows may be done next. */
export function grant(session: ServedSession, more: PermissionGrants): Promise<void> {
  const before = granting.get(session) ?? Promise.resolve();
  const done = before.catch(() => undefined).then(() => add(session, more));
  granting.set(session, done);
  return done;
}

async function add(session: ServedSession, more: PermissionGrants): Promise<void> {
  const { cwd } = session.store.meta;
  const directories = await resolveLinks(more.directories.map((one) => path.resolve(cwd, one)));
  const grants = addGrants(await grantsOf(session), { ...more, directories });
  await session.store.writeDocument(session.lease, GRANTS, grants);
  session.grants = grants;
}
