// Needs: a Temporal server (started by the run).
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { signApproval, type SignableApproval } from '../../src/permissions/approval-signature';
import { inputDigest } from '../../src/permissions/input-digest';
import { withDurable, type Durable } from '../support/durable';
import { calls, says } from '../support/replies';
import { asking, isWritten, refusal, send, settle, waiting, writes } from './asked';

const ada = generateKeyPairSync('ed25519');
const mallory = generateKeyPairSync('ed25519');
const lineOf = (key: KeyObject): string =>
  key.export({ format: 'der', type: 'spki' }).toString('base64');

/** A session of a user who wants signatures, with one call that waits. */
const signedSession = (act: (durable: Durable, signable: SignableApproval) => Promise<void>) =>
  withDurable({ script: [calls(writes('a.txt')), says('Done.')] }, async (durable) => {
    const signers = { ada: lineOf(ada.publicKey) };
    settle(durable, 'user', { approvals: { requireSignature: true, signers } });
    const id = await durable.say('Write.', asking);
    const [asked] = await waiting(durable);
    const digest = inputDigest({ file_path: 'a.txt', content: 'a.txt' });
    await act(durable, {
      kind: 'approve',
      queryId: durable.queryHandle(id).workflowId,
      calls: [{ ...asked!.question.call, digest }],
      who: 'ada',
      note: null,
      remember: false,
      answers: [],
    });
  });

const handleOf = ({ client }: Durable, { queryId }: SignableApproval) =>
  client.workflow.getHandle(queryId);

test('where signatures are required, an unsigned yes is refused, with the command that signs', () =>
  signedSession(async (durable, signable) => {
    const toolUseId = signable.calls[0]!.id;
    const query = handleOf(durable, signable);

    expect(await refusal(send(query, 'approve', { toolUseId, who: 'ada' }))).toBe(
      `${toolUseId} needs a signed decision: everloop approve SESSION ${toolUseId} --key FILE`,
    );
    expect((await waiting(durable))[0]?.question).toMatchObject({ needsSignature: true });
  }));

test('a yes that is signed with the key of who says it counts', () =>
  signedSession(async (durable, signable) => {
    const { id: toolUseId, recordId } = signable.calls[0]!;
    const signature = signApproval(signable, ada.privateKey);

    const receipt = await send(handleOf(durable, signable), 'approve', {
      toolUseId,
      who: 'ada',
      signature,
    });

    expect(receipt.calls).toMatchObject([{ standing: 'approved', by: 'ada', isNew: true }]);
    await durable.told(({ type }) => type === 'query_ended');
    expect(isWritten(durable, 'a.txt')).toBe(true);
    expect(await durable.session.readDocument(`decision-${recordId}`)).toMatchObject({
      by: 'ada',
      isSigned: true,
    });
  }));

type Change = (signable: SignableApproval) => SignableApproval;
const same: Change = (signable) => signable;

test.each<[string, { key?: KeyObject; signed?: Change; sent?: object }, RegExp]>([
  ['the key of somebody else', { key: mallory.privateKey }, /not one of ada for this decision/],
  ['a name without a key', { sent: { who: 'mallory' } }, /mallory has no key in approvals.signers/],
  ['no name', { sent: { who: undefined } }, /who names nobody in approvals.signers/],
  ['another note', { sent: { note: 'do more' } }, /what was signed is not what would run/],
  [
    'another input',
    { signed: (one) => ({ ...one, calls: one.calls.map((c) => ({ ...c, digest: 'f00' })) }) },
    /what was signed is not what would run/,
  ],
  ['a denial', { signed: (one) => ({ ...one, kind: 'deny' }) }, /not what would run/],
  ['no base64', { sent: { signature: '§§§' } }, /not one of ada/],
])('a yes that is signed with %s decides nothing', (_what, { key, signed = same, sent }, words) =>
  signedSession(async (durable, signable) => {
    const signature = signApproval(signed(signable), key ?? ada.privateKey);
    const input = { toolUseId: signable.calls[0]!.id, who: 'ada', signature, ...sent };

    expect(await refusal(send(handleOf(durable, signable), 'approve', input))).toMatch(words);
    expect(await waiting(durable)).toHaveLength(1);
    expect(isWritten(durable, 'a.txt')).toBe(false);
  }),
);
