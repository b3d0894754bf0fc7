import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { failpoint } from './failpoint';

/** Numbered places around every Activity: taken and nothing done yet; done, recorded and not yet reported. */
export const activityFailpoints: ActivityInterceptorsFactory = () => ({
  inbound: {
    async execute(input, next) {
      failpoint('activity.taken');
      try {
        return await next(input);
      } finally {
        failpoint('activity.report');
      }
    },
  },
});
