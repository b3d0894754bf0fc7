import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import type { ToolUseRef } from '../loop/context';

/** What somebody puts their name to: the calls, each with what it would run, and every word of the decision. */
export interface SignableApproval {
  readonly kind: 'approve' | 'deny' | 'answer';
  /** Workflow id of the query. */
  readonly queryId: string;
  /** `digest`: all 64 digits. */
  readonly calls: readonly (ToolUseRef & { readonly digest: string })[];
  readonly who: string | null;
  readonly note: string | null;
  readonly remember: boolean;
  readonly answers: readonly string[];
}

/** Fails: an Error for people when the PEM holds no Ed25519 private key. */
export function readSigningKey(pem: string): KeyObject {
  return requireEd25519(createPrivateKey(pem));
}

/** `text`: base64 of the SPKI DER, which is the one line that a PEM file has between its dashes.
 *  Fails: when it is no Ed25519 public key. */
export function readPublicKey(text: string): KeyObject {
  const key = Buffer.from(text, 'base64');
  return requireEd25519(createPublicKey({ key, format: 'der', type: 'spki' }));
}

/** base64. */
export function signApproval(approval: SignableApproval, key: KeyObject): string {
  return sign(null, bytesOf(approval), key).toString('base64');
}

/** `key`: as `readPublicKey` takes it. */
export function isSignedBy(approval: SignableApproval, signature: string, key: string): boolean {
  const bytes = Buffer.from(signature, 'base64');
  return verify(null, bytesOf(approval), readPublicKey(key), bytes);
}

/** A list has one order, so that it has one text. */
function bytesOf(approval: SignableApproval): Buffer {
  const { kind, queryId, calls, who, note, remember, answers } = approval;
  const named = calls.map(({ id, recordId, digest }) => [id, recordId, digest]);
  return Buffer.from(
    JSON.stringify(['everloop approval 1', kind, queryId, named, who, note, remember, answers]),
  );
}

function requireEd25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Error(`It is a key of type ${String(key.asymmetricKeyType)}, not Ed25519.`);
}
