import { Module } from 'node:module';

/** Modules of the bundle that code of the user's may import as well: Node finds them under the files that they were
 *  made of, and evaluates them when somebody first asks. */
export function shareModules(
  shared: readonly (readonly [file: string, load: () => unknown])[],
): void {
  for (const [file, load] of shared) {
    const module = new Module(file);
    Object.defineProperties(module, {
      filename: { value: file },
      loaded: { value: true },
      exports: { get: load },
    });
    require.cache[file] = module;
  }
}
