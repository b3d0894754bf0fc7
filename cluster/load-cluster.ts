import { measureLoad, type LoadFigures, type LoadOptions } from './load';
import { withMeasured, type MeasuredOptions } from './measured-cluster';
import { COLLECTABLE } from './memory';
import { Tenant } from './tenant';

/** Brings a cluster up as it is delivered, and measures what sessions cost it. */
export async function loadCluster(options: LoadOptions & MeasuredOptions): Promise<LoadFigures> {
  const { folder } = options;
  return withMeasured({ ...options, workerVariables: COLLECTABLE }, async (parts, model) => {
    const hosts = Object.keys(parts.pids).filter((name) => name.startsWith('worker-'));
    const tenants = await Promise.all(
      hosts.map((host) =>
        Tenant.connect(parts, { folder, host, tenant: null, model: model.variables }),
      ),
    );
    try {
      return await measureLoad(parts, { model, tenants }, options);
    } finally {
      await Promise.all(tenants.map((tenant) => tenant.close()));
    }
  });
}
