import { toReminder } from '../reminder';
import type { TurnAttachment } from './turn-attachment';
import type { TurnFacts } from './turn-facts';

/** A session may go on at another host: what the model has set up beside the files of its folder stayed behind. */
export async function attachHostChange({
  chain,
  hosts,
}: TurnFacts): Promise<TurnAttachment | null> {
  if (hosts === null) return null;
  // The last one told, not the last that was new: a session may go to and fro.
  const told = chain.flatMap(({ everloop }) => everloop?.attached ?? []);
  const last = told.filter(({ source }) => source === 'host_change').at(-1);
  const before = last?.keys.at(-1) ?? hosts.began;
  if (before === hosts.now) return null;
  const text = `This session now runs on another machine: ${hosts.now}, before on ${before}.`;
  return {
    type: 'host_change',
    text: toReminder(last === undefined ? `${text} ${CONSEQUENCES}` : `${text} ${AS_BEFORE}`),
    filesSeen: [],
    keys: [hosts.now],
  };
}

const CONSEQUENCES =
  'Background shells, servers and other processes that were started there cannot be reached from here, and neither can its temporary files (/tmp) or what was installed there. The working folder has the same path; look at files again before you rely on what you knew of them. Do not assume that a process runs or a port answers here before you have started it here.';
/** Hosts that share a workspace may take turns. */
const AS_BEFORE =
  'What was said of processes and temporary files at the last such change counts again.';
