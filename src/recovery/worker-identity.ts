import type { LeaseOwner } from '../transcript/store';

/** What the server knows a Worker by. Short: it stands in many events. */
export const identityOf = ({ workerId }: Pick<LeaseOwner, 'workerId'>): string =>
  `w-${workerId.slice(0, 6)}`;
