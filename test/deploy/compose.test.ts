import Ajv from 'ajv';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { toNative } from '../../cluster/compose-file';
import { readShape } from '../../cluster/shape';
import { CONFIG_VARIABLES } from '../../src/config';
import { DYNAMIC_CONFIG } from '../../src/server/server-command';
import { ATTRIBUTE_TYPES } from '../../src/visibility/search-attributes';
import { isOurs, readWritten, ROOT, textOf } from './deployment-files';

const written = readWritten();
const services = Object.entries(written.services);

/** Ajv 6 does not know `unevaluatedProperties`, so the names of a service's keys are looked at apart: they are spread
 *  over three definitions. */
type Schema = Record<string, unknown> & {
  readonly $defs: Readonly<Record<string, { readonly properties?: object }>>;
};
const PARTS_OF_A_SERVICE = ['service', 'container_spec', 'workload_spec'];

test('docker-compose.yml is what the Compose Specification allows', () => {
  const schema = JSON.parse(textOf('test/deploy/compose-spec.json')) as Schema;
  const ajv = new Ajv({ unknownFormats: 'ignore', logger: false, schemaId: 'auto' });

  const isValid = ajv.validate({ ...schema, $schema: undefined }, written);

  const known = PARTS_OF_A_SERVICE.flatMap((part) =>
    Object.keys(schema.$defs[part]?.properties ?? {}),
  );
  const keys = services.flatMap(([, service]) => Object.keys(service));
  expect([isValid, ajv.errorsText()]).toEqual([true, 'No errors']);
  expect(keys.filter((key) => !known.includes(key))).toEqual([]);
});

test.each(services)('the image of %s is pinned to a release', (_, { image }) => {
  expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-\w+)?$/);
});

test('the image of Workers is named after the version that it is built from', () => {
  const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };

  const images = services.filter(([name]) => name.startsWith('worker-'));

  expect(images.map(([, { image }]) => image)).toEqual([
    `everloop:${version}`,
    `everloop:${version}`,
  ]);
});

test.each(services)('%s is published on loopback alone', (_, { ports = [] }) => {
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
});

test.each(services)('%s mounts files that are there', (_, { volumes = [] }) => {
  const sources = volumes.map((volume) => volume.split(':')[0] ?? '');

  const own = sources.filter((source) => source.startsWith('./'));
  expect(own.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
});

test.each(['docker-compose.yml', 'deploy/worker.env.example', 'Dockerfile'])(
  '%s sets variables that there are',
  (path) => {
    const set = [...textOf(path).matchAll(/^\W*([A-Z_]+)[:=]/gm)].map(([, name = '']) => name);

    const known = CONFIG_VARIABLES.map(({ name }) => name);
    expect(set.filter((name) => isOurs(name) && !known.includes(name))).toEqual([]);
  },
);

test('a cluster needs what the local server is given, and has it', () => {
  const file = parse(textOf('deploy/temporal/dynamic-config.yaml')) as Readonly<
    Record<string, readonly [{ readonly value: unknown }]>
  >;

  const values = Object.keys(DYNAMIC_CONFIG).map((key) => [key, file[key]?.[0].value]);

  expect(Object.fromEntries(values)).toEqual(DYNAMIC_CONFIG);
});

test('the namespace step registers the search attributes that Workflows set', () => {
  const script = textOf('deploy/temporal/namespace.sh');

  const registered = [...script.matchAll(/--name (\w+) --type (\w+)/g)];

  const types = registered.map(([, name, type]) => [name, type]);
  expect(Object.fromEntries(types)).toEqual(ATTRIBUTE_TYPES);
});

test('every command of a service has its files where the native cluster looks for them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'everloop-shape-'));
  const { schema, namespace, temporal } = readShape(folder);

  const files = [
    toNative(schema, schema.command[1] ?? ''),
    toNative(namespace, namespace.command[1] ?? ''),
    toNative(temporal, temporal.environment['DYNAMIC_CONFIG_FILE_PATH'] ?? ''),
  ];

  rmSync(folder, { recursive: true });
  expect(files.map((file) => file.startsWith(ROOT) && existsSync(file))).toEqual([
    true,
    true,
    true,
  ]);
});
