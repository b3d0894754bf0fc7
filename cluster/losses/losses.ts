import { runLooks } from '../checked';
import { lostInStream } from './lost-in-stream';
import { lostInTool } from './lost-in-tool';
import { lostWorkspace } from './lost-workspace';
import { separateHomes } from './separate-homes';
import { Stage, type StageOptions } from './stage';

/** Kills Workers of the cluster, and looks what becomes of their sessions. Prints a line for each look and one at the
 *  end; returns how many failed. Needs the build. */
export async function checkLosses(
  options: StageOptions,
  print: (line: string) => void,
): Promise<number> {
  const stage = new Stage(options);
  try {
    const looks = [
      separateHomes(stage),
      lostInTool(stage),
      lostInStream(stage),
      ...lostWorkspace(stage),
    ];
    const failed = await runLooks(looks, print);
    print(`losses: ${looks.length - failed} of ${looks.length} as it should be`);
    return failed;
  } finally {
    await stage.store.close();
  }
}
