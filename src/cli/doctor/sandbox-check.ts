import { findBubblewrap } from '../../sandbox/bubblewrap';
import { fine, type Check } from './check';

/** Whether commands can be kept in a sandbox. Where there is none everything else works, so that it is no fault. */
export function sandboxCheck(searchPath: string): Check {
  return {
    name: 'Sandbox',
    run: async () => {
      const found = await findBubblewrap(searchPath, false);
      return fine(
        found.type === 'found'
          ? `${found.program} can keep commands in`
          : `none, so that commands run with all rights of yours: ${found.detail}. ${found.cure}`,
      );
    },
  };
}
