import { z } from 'zod';
import { CONFIG_VARIABLES } from '../../src/config';
import { isOurs, readManifests, readWritten } from './deployment-files';

const manifests = readManifests('deploy/kubernetes/everloop.yaml');

const named = (kind: string): unknown => manifests.find((each) => each.kind === kind)?.spec;

const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const Container = z.object({
  image: z.string(),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
  volumeMounts: z.array(z.object({ name: z.string() })),
});
const { template, volumeClaimTemplates } = z
  .object({
    template: z.object({
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([Container]),
        volumes: z.array(z.object({ name: z.string() })),
      }),
    }),
    volumeClaimTemplates: z.array(z.object({ metadata: z.object({ name: z.string() }) })),
  })
  .parse(named('StatefulSet'));
const [container] = template.spec.containers;

test('each manifest has a kind, a name and the one namespace', () => {
  const inNamespace = manifests.filter(({ kind }) => kind !== 'Namespace');

  expect(manifests.filter(({ apiVersion, kind }) => !apiVersion || !kind)).toEqual([]);
  expect(inNamespace.filter(({ metadata }) => metadata.namespace !== 'everloop')).toEqual([]);
});

test('its variables are those that there are', () => {
  const names = manifests.flatMap(({ data }) => Object.keys(data ?? {}));

  const known = CONFIG_VARIABLES.map(({ name }) => name);
  expect(names).toContain('TEMPORAL_ADDRESS');
  expect(names.filter((name) => isOurs(name) && !known.includes(name))).toEqual([]);
});

test('probes ask at the port where health is told', () => {
  const data = manifests.find(({ kind }) => kind === 'ConfigMap')?.data;
  const { startupProbe, livenessProbe, readinessProbe, ports } = container;

  const health = ports.find(({ name }) => name === 'health')?.containerPort;

  expect(data?.['EVERLOOP_HEALTH']?.split(':')[1]).toBe(String(health));
  expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
    { path: '/readyz', port: 'health' },
    { path: '/healthz', port: 'health' },
    { path: '/readyz', port: 'health' },
  ]);
});

test('a pod is given as long to stop as a container of compose', () => {
  const compose = readWritten().services['worker-1']?.stop_grace_period;

  expect(`${template.spec.terminationGracePeriodSeconds}s`).toBe(compose);
});

test('every mounted volume is declared', () => {
  const declared = [
    ...template.spec.volumes.map(({ name }) => name),
    ...volumeClaimTemplates.map(({ metadata }) => metadata.name),
  ];

  expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(declared.sort());
});
