import type { KeyedModel } from './keyed-model';
import type { Tenant } from './tenant';

/** Sessions of a cluster in number, spread over its Workers. */
export interface Crowd {
  readonly model: KeyedModel;
  /** One for each Worker: what it begins is served there. */
  readonly tenants: readonly Tenant[];
}

/** Nothing of it takes longer that works. */
export const WITHIN_MS = 10 * 60_000;

/** Whose the session of that number is. */
export function tenantOf({ tenants }: Crowd, index: number): Tenant {
  const tenant = tenants[index % tenants.length];
  if (tenant === undefined) throw new Error('A crowd needs at least one tenant.');
  return tenant;
}

/** Does it for 0, 1 … `count - 1`, so many at a time. Fails: with the first failure. */
export async function eachOf(
  count: number,
  atOnce: number,
  act: (index: number) => Promise<void>,
): Promise<void> {
  const left = Array.from({ length: count }).keys();
  const work = async (): Promise<void> => {
    for (const index of left) await act(index);
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, work));
}
