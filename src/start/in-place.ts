import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'esbuild';
import { DIST } from './load-command';

const ASKS_FOR_PLACE = /\b(?:__dirname|__filename|require\.resolve)\b/;

/** It imports an ES module, which code from a cache cannot: it stays a file of its own. */
const OUTSIDE = './terminal/tui-library.js';

/** Modules of ours and of the Temporal SDK that ask where they lie, or where others do, learn it as if they were not
 *  bundled. */
export const inPlace: Plugin = {
  name: 'in-place',
  setup(bundle) {
    bundle.onResolve({ filter: /\/tui-library$/ }, () => ({
      path: OUTSIDE,
      external: true,
    }));
    bundle.onLoad({ filter: /\.js$/ }, ({ path: file }) => {
      if (!file.startsWith(DIST) && !file.includes('/node_modules/@temporalio/')) return null;
      const source = readFileSync(file, 'utf8');
      if (!ASKS_FOR_PLACE.test(source)) return null;
      const contents = [
        `'use strict';`,
        `var __filename = ${fileOf(file)};`,
        `var __dirname = require('node:path').dirname(__filename);`,
        source.replaceAll(
          'require.resolve(',
          `require('node:module').createRequire(__filename).resolve(`,
        ),
      ];
      return { contents: contents.join(' '), loader: 'js' };
    });
  },
};

/** JavaScript that says where the file lies when the bundle runs: packages may have been installed elsewhere. */
function fileOf(file: string): string {
  const inside = /.*\/node_modules\/(.+)$/.exec(file)?.[1];
  return inside === undefined
    ? `require('node:path').join(bundleFolder, ${JSON.stringify(path.relative(DIST, file))})`
    : `require.resolve(${JSON.stringify(inside)})`;
}
