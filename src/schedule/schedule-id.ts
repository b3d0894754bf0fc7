import { storeHash } from '../transcript/place';

/** What all schedules of a store have in common. No session's Workflow id begins like that. */
export const scheduleIdPrefix = (place: string): string => `everloop-schedule-${storeHash(place)}-`;

/** Id of a schedule at the server; ids of its firings begin with it. */
export const scheduleId = (place: string, name: string): string =>
  `${scheduleIdPrefix(place)}${name}`;
