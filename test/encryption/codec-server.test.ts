import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { codecServer, parseCodecServer } from '../../src/cli/codec-server';
import { CliError } from '../../src/cli/cli-error';
import { anybody, holdersOf, readersOf, type Admission } from '../../src/encryption/admission';
import { serveCodec, type CodecServer } from '../../src/encryption/codec-server';
import { newKeyLine, parseKeys } from '../../src/encryption/encryption-key';
import { KeyRing } from '../../src/encryption/key-ring';
import { createPayloadCodec } from '../../src/encryption/payload-codec';
import { Command } from 'commander';

const UI = 'https://temporal.example';
const ring = new KeyRing(parseKeys(newKeyLine('a'), 'KEYS'));
const codec = createPayloadCodec(ring);
const problems: string[] = [];
const servers: CodecServer[] = [];

async function serve(admission: Admission): Promise<string> {
  const onProblem = (message: string): void => void problems.push(message);
  const host = '127.0.0.1';
  const server = await serveCodec({ codec, host, port: 0, origins: [UI], admission, onProblem });
  servers.push(server);
  return server.url;
}

afterAll(() => Promise.all(servers.map((server) => server.close())));

const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, { method: 'POST', headers: { origin: UI, ...headers }, body: JSON.stringify(body) });

const base64 = (bytes: Uint8Array | null | undefined): string =>
  Buffer.from(bytes ?? []).toString('base64');

const toJson = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([k, v]) => [k, base64(v)])),
  data: base64(data),
});

const clear = toJson(defaultPayloadConverter.toPayload('text'));

describe('a codec server', () => {
  test('encodes what a person types, and decodes what the server holds', async () => {
    const url = await serve(anybody);

    const encoded = (await (await post(`${url}/encode`, { payloads: [clear] })).json()) as object;
    const decoded = await (await post(`${url}/decode`, encoded)).json();

    expect(JSON.stringify(encoded)).not.toContain(clear.data);
    expect(decoded).toEqual({ payloads: [clear] });
  });

  test('shows what it can where a key is missing, and says which', async () => {
    const url = await serve(anybody);
    const stranger = createPayloadCodec(new KeyRing(parseKeys(newKeyLine('theirs'), 'KEYS')));
    const [sealed] = await stranger.encode([defaultPayloadConverter.toPayload(1)]);
    const payloads = [toJson(sealed as Payload), clear];

    const answer = await post(`${url}/decode`, { payloads });

    expect(await answer.json()).toEqual({ payloads });
    expect(problems.join()).toContain('"theirs"');
  });

  test('lets browsers of its UI ask, and no others', async () => {
    const url = await serve(anybody);
    const preflight = (origin: string) =>
      fetch(`${url}/decode`, { method: 'OPTIONS', headers: { origin } });

    const [ours, others] = [await preflight(UI), await preflight('https://evil.example')];

    expect([ours.status, others.status]).toEqual([204, 403]);
    expect(ours.headers.get('access-control-allow-origin')).toBe(UI);
    expect(ours.headers.get('access-control-allow-headers')).toContain('x-namespace');
    expect(others.headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each([
    ['/decode', { payloads: [{ data: 'not base64!' }] }, 400],
    ['/decode', 'text', 400],
    ['/else', { payloads: [] }, 404],
  ])('refuses POST %s of %j with %i', async (path, body, status) => {
    const answer = await post(`${await serve(anybody)}${path}`, body);

    expect(answer.status).toBe(status);
  });

  test('asks for its token', async () => {
    const url = `${await serve(holdersOf('s3cret'))}/decode`;
    const statusOf = async (authorization: string) =>
      (await post(url, { payloads: [] }, { authorization })).status;

    const statuses = await Promise.all(['', 'Bearer wrong', 'Bearer s3cret'].map(statusOf));

    expect(statuses).toEqual([401, 401, 200]);
  });

  test('lets those read who may read the namespace, and asks once a minute', async () => {
    const asked: string[] = [];
    const ask = async (token: string) => (asked.push(token), token === 'ann');
    const admit = await readersOf('team', ask);
    const of = (token: string, namespace = 'team') =>
      admit({ authorization: `Bearer ${token}`, 'x-namespace': namespace });

    expect([await of('ann'), await of('ann')]).toEqual([null, null]);
    expect(await of('bob')).toMatch(/does not let you read namespace team/);
    expect(await of('ann', 'other')).toMatch(/not of other/);
    expect(asked.filter((token) => token === 'ann')).toHaveLength(1);
  });

  test('does not take the word of a Temporal server that lets everybody read', async () => {
    await expect(readersOf('team', async () => true)).rejects.toThrow(/lets everybody read/);
  });
});

describe('everloop codec-server', () => {
  const parse = (...args: string[]) => parseCodecServer(new Command(), args);
  const world = { ring, token: null } as unknown as Parameters<typeof codecServer>[1];

  test('is of this machine unless told otherwise', () => {
    expect(parse()).toMatchObject({ host: '127.0.0.1', port: 8235, auth: 'token' });
    expect(parse('--origin', `${UI}/namespaces`).origins).toEqual([UI]);
    expect(() => parse('--origin', 'temporal.example')).toThrow(CliError);
  });

  test('shows nothing to a network without a token', async () => {
    await expect(codecServer(parse('--host', '0.0.0.0'), world)).rejects.toThrow(
      /Set EVERLOOP_CODEC_TOKEN/,
    );
  });

  test('asks where the UI is when there is no local one', async () => {
    const localUi = () => Promise.resolve(null);

    await expect(codecServer(parse(), { ...world, localUi })).rejects.toThrow('--origin URL');
  });

  test('needs keys', async () => {
    await expect(codecServer(parse(), { ...world, ring: null })).rejects.toThrow(/no key/);
  });
});
