import { isPrompt } from '../transcript/prompt-record';
import type { SessionStore } from '../transcript/store';
import { wholeChain } from '../transcript/whole-chain';
import { CliError } from './cli-error';
import type { ResumePoint } from './command';

/** uuid of the record that a session is resumed at.
 *  Fails: CliError when there is no such record, or more would be left out than the client knows of. */
export async function findResumePoint(
  session: SessionStore,
  { at, dropsTurn }: ResumePoint,
): Promise<string> {
  if ((await session.findRecord(at)) === undefined) {
    throw new CliError(
      `Session ${session.meta.sessionId} has no message with uuid ${at} (--resume-session-at). Give the uuid of one of its messages, or leave the option out.`,
    );
  }
  if (dropsTurn !== undefined) await requireOneTurn(session, at, dropsTurn);
  return at;
}

/** The client lets one turn go. A message that came in meanwhile, which it has not seen, must not go with it. */
async function requireOneTurn(session: SessionStore, at: string, dropsTurn: string): Promise<void> {
  const leaf = await session.lastLeaf();
  const chain = leaf === null ? [] : await wholeChain(session, leaf);
  const from = chain.findIndex(({ uuid }) => uuid === at);
  const others = chain.slice(from + 1).filter(isPrompt);
  const foreign = others.find(({ uuid }) => uuid !== dropsTurn);
  if (from >= 0 && foreign === undefined) return;
  const why =
    from < 0
      ? `message ${at} is not part of the conversation as it is now`
      : `behind ${at} there is also the message ${foreign?.uuid ?? ''}, which is not of the turn of ${dropsTurn}`;
  throw new CliError(
    `Resume rejected by --resume-drops-turn: ${why}. Resume the session without both options.`,
  );
}
