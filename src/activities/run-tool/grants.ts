import path from 'node:path';
import { resolveLinks } from '../../permissions/file-target';
import { addGrants, GRANTS, NO_GRANTS, type PermissionGrants } from '../../transcript/permission';
import type { ServedSession } from '../served-sessions';

/** What people granted while the session ran. Read once per process: only this one writes it. */
export async function grantsOf(session: ServedSession): Promise<PermissionGrants> {
  session.grants ??= (await session.store.readDocument(GRANTS)) as PermissionGrants | undefined;
  session.grants ??= NO_GRANTS;
  return session.grants;
}

export async function grant(session: ServedSession, more: PermissionGrants): Promise<void> {
  const { cwd } = session.store.meta;
  const directories = await resolveLinks(more.directories.map((one) => path.resolve(cwd, one)));
  const grants = addGrants(await grantsOf(session), { ...more, directories });
  await session.store.writeDocument(session.lease, GRANTS, grants);
  session.grants = grants;
}
