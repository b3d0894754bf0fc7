import { Cluster, type ClusterOptions, type Parts } from './cluster';
import { KeyedModel } from './keyed-model';

export interface MeasuredOptions extends ClusterOptions {
  /** Ends the measurement. */
  readonly signal: AbortSignal;
}

/** A cluster with a scripted model, for as long as something is measured. Ends both whatever happens.
 *  Fails: Error when it does not come up, a part of it is lost, or the signal aborts. */
export async function withMeasured<Result>(
  { signal, ...options }: MeasuredOptions,
  measure: (parts: Parts, model: KeyedModel) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  // Also when it aborts in between.
  stopped.catch(() => undefined);
  const model = await KeyedModel.start();
  const environment = { ...options.environment, ...model.variables };
  const cluster = new Cluster({ ...options, environment });
  try {
    const parts = await Promise.race([cluster.up, stopped]);
    const lost = parts.lost.then((sentence) => Promise.reject(new Error(sentence)));
    return await Promise.race([measure(parts, model), lost, stopped]);
  } finally {
    await cluster.close();
    await model.close();
  }
}
