/** Extract → transform → load, each stage a generator: progress as it happens, cancelled between two rows.
 *  Run: npx tsx examples/etl-pipeline.ts */

interface Row {
  readonly id: number;
  readonly amount: string;
}

type PipelineEvent =
  | { readonly type: 'extracted' | 'loaded'; readonly rows: number }
  | { readonly type: 'rejected'; readonly id: number; readonly why: string };

const PAGE_SIZE = 4;

async function* extract(pages: number): AsyncGenerator<PipelineEvent, Row[]> {
  const rows: Row[] = [];
  for (let page = 0; page < pages; page += 1) {
    for (let n = 1; n <= PAGE_SIZE; n += 1) {
      const id = page * PAGE_SIZE + n;
      rows.push({ id, amount: id === 6 ? 'n/a' : `${String(id)}.50` });
    }
    yield { type: 'extracted', rows: rows.length };
  }
  return rows;
}

function* transform(rows: readonly Row[]): Generator<PipelineEvent, number[]> {
  const cents: number[] = [];
  for (const { id, amount } of rows) {
    const value = Number(amount);
    // A bad row is an event, not an exception: the consumer decides what it is worth.
    if (Number.isNaN(value)) yield { type: 'rejected', id, why: `"${amount}" is not a number` };
    else cents.push(value * 100);
  }
  return cents;
}

async function* load(cents: readonly number[], table: number[]): AsyncGenerator<PipelineEvent> {
  for (const value of cents) {
    table.push(value);
    if (table.length % 5 === 0) yield { type: 'loaded', rows: table.length };
  }
}

async function* pipeline(table: number[]): AsyncGenerator<PipelineEvent> {
  try {
    const rows = yield* extract(3);
    const cents = yield* transform(rows);
    yield* load(cents, table);
  } finally {
    console.log(`connection closed, ${String(table.length)} rows in the table`);
  }
}

async function main(): Promise<void> {
  console.log('A whole run:');
  for await (const event of pipeline([])) console.log(' ', JSON.stringify(event));

  console.log('A run that its consumer leaves at the first rejected row:');
  for await (const event of pipeline([])) {
    console.log(' ', JSON.stringify(event));
    if (event.type === 'rejected') break;
  }
}

void main();
