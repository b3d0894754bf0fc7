// Needs: a Temporal server (started by the run).
import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import {
  missingSearchAttributes,
  registerSearchAttributes,
  type Namespace,
} from '../../src/visibility/register-attributes';
import { ATTRIBUTE_TYPES } from '../../src/visibility/search-attributes';
import { temporalAddress } from '../support/temporal';

async function withNamespace(act: (namespace: Namespace) => Promise<void>): Promise<void> {
  const connection = await Connection.connect({ address: temporalAddress() });
  const { workflowService, operatorService } = connection;
  try {
    await act({ name: 'default', workflowService, operatorService });
  } finally {
    await connection.close();
  }
}

test('what the server was started with is there, and registering it again changes nothing', () =>
  withNamespace(async (namespace) => {
    expect(await registerSearchAttributes(namespace)).toBeNull();
    expect(await missingSearchAttributes(namespace)).toBeNull();
  }));

test('a namespace that cannot be asked is a problem with a name, not a failure', () =>
  withNamespace(async (namespace) => {
    const unknown = { ...namespace, name: `no-namespace-${randomUUID()}` };

    expect(await registerSearchAttributes(unknown)).toMatch(/not found/i);
  }));

test('an attribute with another type than ours is named', async () => {
  const customAttributes = Object.fromEntries(
    Object.keys(ATTRIBUTE_TYPES).map((name) => [name, 2]),
  );
  const namespace: Pick<Namespace, 'name'> & {
    operatorService: unknown;
    workflowService: unknown;
  } = {
    name: 'shared',
    operatorService: { listSearchAttributes: async () => ({ customAttributes }) },
    workflowService: {},
  };

  expect(await registerSearchAttributes(namespace as Namespace)).toBe(
    'namespace shared has EverloopTurn, EverloopCostUsd with another type than ours',
  );
});

test('at most ten attributes are keywords: a namespace on SQL has room for no more', () => {
  const keywords = Object.values(ATTRIBUTE_TYPES).filter((type) => type === 'Keyword');

  expect(keywords.length).toBeLessThanOrEqual(10);
});
