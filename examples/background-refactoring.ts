/** A refactoring in the background: it goes on without a terminal, and each edit waits for a person's word, for as
 *  long as it takes. A person types `everloop approve` or `everloop deny`; here a rule stands for the person.
 *  Run: npx tsx examples/background-refactoring.ts */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { calls, openStage, says, type Stage } from './stage/stage';

const PROJECT = {
  'price.js': 'exports.total = (items) => items.reduce((sum, { price }) => sum + price, 0);\n',
  'cart.js': "const { total } = require('./price');\nexports.pay = (items) => total(items);\n",
  'README.md': '# Shop\n\nDo not touch this file.\n',
  'check.js': "require('assert').equal(require('./cart').pay([{ price: 2 }, { price: 3 }]), 5);\n",
};

const TASK =
  'Rename total to sumOfPrices in price.js and cart.js, mention it in README.md, and run: node check.js';

const edit = (file_path: string, old_string: string, new_string: string, replace_all = false) =>
  ['Edit', { file_path, old_string, new_string, replace_all }] as const;
const read = (file_path: string) => ['Read', { file_path }] as const;

/** What a scripted model does about it. */
const REPLIES = [
  calls(read('price.js'), read('cart.js'), read('README.md')),
  calls(
    edit('price.js', 'exports.total', 'exports.sumOfPrices'),
    edit('cart.js', 'total', 'sumOfPrices', true),
    edit('README.md', '# Shop', '# Shop with sumOfPrices'),
  ),
  calls(['Bash', { command: 'node check.js' }]),
  says('Renamed in price.js and cart.js, and the check passes. I may not edit README.md.'),
];

interface Asked {
  readonly call: { readonly id: string };
  readonly name: string;
  /** A file, or a command. */
  readonly summary: string;
}

/** What `everloop show --json` tells, as far as it matters here. */
interface Shown {
  readonly queries: readonly { readonly own: { readonly questions: readonly Asked[] } | null }[];
  readonly lastResult: object | null;
}

/** Stands for a person: code may be edited and checked, the README may not. */
async function decide(stage: Stage, sessionId: string, asked: Asked): Promise<void> {
  const isRefused = asked.summary.includes('README.md');
  console.log(`  ${isRefused ? 'no' : 'yes'} to ${asked.name} ${asked.summary}`);
  const decision = isRefused ? ['deny', '--note', 'The README stays as it is.'] : ['approve'];
  await stage.everloop('.', ...decision, sessionId, asked.call.id, '--who', 'ada');
}

async function main(): Promise<void> {
  const stage = await openStage(REPLIES);
  try {
    await stage.startWorker();
    const folder = stage.folder('shop', PROJECT);
    // What no rule allows waits for people: that is the default of `everloop run`.
    const sessionId = await stage.everloop(folder, 'run', '--detach', TASK);
    console.log(`It runs in the background as ${sessionId}. What waits for a person's word:`);
    for (;;) {
      const shown = JSON.parse(await stage.everloop('.', 'show', sessionId, '--json')) as Shown;
      if (shown.lastResult !== null) break;
      const questions = shown.queries.flatMap(({ own }) => own?.questions ?? []);
      for (const asked of questions) await decide(stage, sessionId, asked);
      await wait(200);
    }
    console.log(`Done: ${await stage.everloop('.', 'attach', sessionId)}`);
    for (const name of ['price.js', 'cart.js', 'README.md']) {
      console.log(`${name}:\n${readFileSync(join(folder, name), 'utf8').trimEnd()}`);
    }
  } finally {
    await stage.close();
  }
}

void main();
