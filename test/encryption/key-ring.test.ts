import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '../../src/config';
import { openKeyRing } from '../../src/encryption/configured-keys';
import { newKeyLine, parseKeys } from '../../src/encryption/encryption-key';
import { EncryptionError } from '../../src/encryption/encryption-error';
import { KeyRing } from '../../src/encryption/key-ring';

const ringOf = (...lines: readonly string[]) => new KeyRing(parseKeys(lines.join(','), 'KEYS'));
const configOf = (env: Readonly<Record<string, string>>) => loadConfig(env, '/home/ann');

describe('a key ring', () => {
  const [old, young] = [newKeyLine('old'), newKeyLine('young')];

  test('encrypts with its first key and opens what any of its keys has encrypted', () => {
    const before = ringOf(old).seal(Buffer.from('before'), 'here');

    const ring = ringOf(young, old);
    const after = ring.seal(Buffer.from('after'), 'here');

    expect([before.keyId, after.keyId]).toEqual(['old', 'young']);
    expect(ring.open(before, 'here').toString()).toBe('before');
    expect(ring.open(after, 'here').toString()).toBe('after');
  });

  test('makes other bytes of the same text each time', () => {
    const ring = ringOf(old);
    const [one, other] = [1, 2].map(() => ring.seal(Buffer.from('same'), 'here').bytes);

    expect(one).not.toEqual(other);
  });

  test('names the key that is missing, and the cure', () => {
    const sealed = ringOf(old).seal(Buffer.from('text'), 'here');

    const open = () => ringOf(young).open(sealed, 'here');

    expect(open).toThrow(EncryptionError);
    expect(open).toThrow(/key "old".*has young.*EVERLOOP_ENCRYPTION_KEYS/);
  });

  test.each([
    ['changed', (bytes: Buffer) => (bytes[14] = (bytes[14] ?? 0) ^ 1), 'here', old],
    ['moved', () => undefined, 'there', old],
    ['opened with another key of that name', () => undefined, 'here', newKeyLine('old')],
  ])('refuses what was %s', (_what, change, place, key) => {
    const { keyId, bytes } = ringOf(old).seal(Buffer.from('some text'), 'here');
    const sealed = { keyId, bytes: Buffer.from(bytes) };
    change(sealed.bytes);

    expect(() => ringOf(key).open(sealed, place)).toThrow(/cannot be read/);
  });

  test('refuses what is shorter than a nonce and a tag', () => {
    expect(() => ringOf(old).open({ keyId: 'old', bytes: Buffer.alloc(27) }, 'here')).toThrow(
      EncryptionError,
    );
  });
});

describe('keys of the configuration', () => {
  const secret = randomBytes(32).toString('base64');

  test.each([
    ['no id', secret],
    ['a short key', `a:${randomBytes(16).toString('base64')}`],
    ['a key that is no base64', `a:${secret.slice(0, 20)}!${secret.slice(20)}`],
    ['the same id twice', `a:${secret},a:${secret}`],
    ['an id with spaces', `a b:${secret}`],
    ['the parts in the wrong order', `${secret}:a`],
    ['nothing but commas', ','],
  ])('with %s are refused without being shown', (_what, text) => {
    const open = () => openKeyRing(configOf({ EVERLOOP_ENCRYPTION_KEYS: text }));

    expect(open).toThrow(ConfigError);
    expect(messageOf(open)).not.toContain(secret.slice(0, 20));
  });

  test('are read from a file that others cannot read, comments apart', () => {
    const folder = mkdtempSync(join(tmpdir(), 'everloop-keys-'));
    const file = join(folder, 'keys');
    writeFileSync(file, `# newest first\n${newKeyLine('b')}\n\n${newKeyLine('a')}\n`);
    const config = configOf({ EVERLOOP_ENCRYPTION_KEY_FILE: file });

    chmodSync(file, 0o644);
    expect(() => openKeyRing(config)).toThrow(`chmod 600 ${file}`);
    chmodSync(file, 0o440);
    expect(openKeyRing(config)?.keyIds).toEqual(['b', 'a']);
    rmSync(folder, { recursive: true });
    expect(() => openKeyRing(config)).toThrow(/cannot be read \(.*ENOENT/);
  });

  test('come from one place', () => {
    const env = { EVERLOOP_ENCRYPTION_KEYS: `a:${secret}`, EVERLOOP_ENCRYPTION_KEY_FILE: '/keys' };

    expect(() => configOf(env)).toThrow(/both set/);
  });

  test('are none where none are configured', () => {
    expect(openKeyRing(configOf({}))).toBeNull();
  });
});

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return String(error);
  }
  return '';
}
