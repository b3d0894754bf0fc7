import type { ActivityFailure } from '@temporalio/workflow';

/** At most 200 characters: it stands in Event History. */
export const textOf = (failure: ActivityFailure): string =>
  (failure.cause?.message ?? failure.message).slice(0, 200);
