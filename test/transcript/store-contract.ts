import * as build from './builders';
import { describeCollection } from './contract/collection';
import { describeFileHistory } from './contract/file-history';
import type { Given, StorePlace } from './contract/given';
import { describeLeases } from './contract/leases';
import { describeLedger } from './contract/ledger';
import { describeLiveStreams } from './contract/live-streams';
import { describeMessagesAndDocuments } from './contract/messages-and-documents';
import { describePauses } from './contract/pauses';
import { describeRecords } from './contract/records';
import { describeSessionLog } from './contract/session-log';
import { describeSessions } from './contract/sessions';

/** Parts that are about contents of a session: what they say holds however many sessions and places there are. */
export const CONTENT_PARTS = [
  describeRecords,
  describeMessagesAndDocuments,
  describeLedger,
  describeFileHistory,
  describeSessionLog,
  describeLiveStreams,
  describeCollection,
];

const ALL_PARTS = [describeSessions, describeLeases, ...CONTENT_PARTS, describePauses];

/** What every back end keeps to. It uses the interface alone. */
export function describeStore(
  name: string,
  createPlace: () => Promise<StorePlace>,
  parts: readonly ((given: Given) => void)[] = ALL_PARTS,
): void {
  describe(`${name} keeps the contract of the transcript store`, () => {
    // One object for the whole suite, filled anew for each test, so that the parts can hold on to it.
    const given = {} as Given;

    beforeEach(async () => Object.assign(given, await begin(await createPlace())));

    afterEach(async () => {
      given.abort.abort();
      await given.place.dispose();
    });

    for (const describePart of parts) describePart(given);
  });
}

async function begin(place: StorePlace): Promise<Given> {
  const store = await place.open();
  const session = await store.createSession(build.meta(place.cwd));
  const lease = await session.acquireLease(build.owner('first'), build.alive);
  const elsewhere = async () => {
    const opened = await (await place.open()).openSession(session.meta.sessionId);
    if (opened === undefined) throw new Error('The session is not there.');
    return opened;
  };
  return { place, store, session, lease, abort: new AbortController(), elsewhere };
}
