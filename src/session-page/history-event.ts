import { defaultPayloadConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

type Time = HistoryEvent['eventTime'];
type Payloads = temporal.api.common.v1.IPayloads | null | undefined;

/** ms since the epoch. */
export const historyMs = (time: Time): number =>
  Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1_000_000;

/** The values that crossed. One that cannot be read, because somebody encrypts them, is undefined. */
export function payloadsIn(payloads: Payloads): readonly unknown[] {
  return (payloads?.payloads ?? []).map((payload): unknown => {
    try {
      return defaultPayloadConverter.fromPayload(payload);
    } catch {
      return undefined;
    }
  });
}
