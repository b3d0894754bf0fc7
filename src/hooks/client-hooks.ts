import { z } from 'zod';
import { isHookEvent } from './hook-event';
import { matcher, timeoutSeconds } from './hook-schema';
import type { HookGroup, HookSource } from './hook-set';

/** Hooks as a client registers them: `{Event: [{matcher?, hookCallbackIds, timeout?, onFailure?}]}`.
 *  Source: the `initialize` request of the control protocol. */
const Registration = z.record(
  z.string(),
  z.array(
    z.object({
      matcher: matcher.nullable().default(null),
      hookCallbackIds: z.array(z.string()),
      timeout: timeoutSeconds,
      onFailure: z.enum(['ignore', 'block']).catch('ignore').default('ignore'),
    }),
  ),
);

/** Fails: ZodError. */
export function readClientHooks(registration: unknown): HookSource {
  const events = Object.entries(Registration.parse(registration));
  return {
    warnings: events
      .filter(([event]) => !isHookEvent(event))
      .map(([event]) => `Hooks of the client for ${event} never run: everloop has no such event.`),
    groups: events.flatMap(([event, groups]) =>
      groups.flatMap(({ matcher: matches, hookCallbackIds, timeout, onFailure }) => {
        if (!isHookEvent(event)) return [];
        const timeoutMs = timeout === null ? null : timeout * 1000;
        const hooks = hookCallbackIds.map(
          (id) => ({ type: 'callback', id, timeoutMs, onFailure }) as const,
        );
        const group: HookGroup = { event, matches: matches ?? (() => true), hooks };
        return [group];
      }),
    ),
  };
}
