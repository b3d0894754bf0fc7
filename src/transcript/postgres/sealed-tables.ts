import type { BodyPlace } from './bodies';

/** A table with contents. `row`: what a content is bound to, beside the session; `order`: what its rows are read by. */
export interface SealedTable {
  readonly name: string;
  readonly row: readonly string[];
  readonly order: readonly string[];
}

/** Every table whose rows have a `body`; file versions, which have none, are apart (KeptBytes). */
export const SEALED_TABLES: readonly SealedTable[] = [
  { name: 'records', row: ['uuid'], order: ['seq'] },
  { name: 'ledger', row: ['name'], order: ['seq'] },
  { name: 'log', row: ['at'], order: ['seq'] },
  { name: 'messages', row: ['id'], order: ['id'] },
  { name: 'answers', row: ['record_id'], order: ['record_id'] },
  { name: 'documents', row: ['name'], order: ['name'] },
  { name: 'rewinds', row: [], order: [] },
  { name: 'deltas', row: ['stream', 'seq'], order: ['stream', 'seq'] },
];

/** The place of a row that was read with all columns of its table. */
export function placeOf(
  { name, row }: SealedTable,
  read: { readonly session: string } & Readonly<Record<string, unknown>>,
): BodyPlace {
  return [name, read.session, ...row.map((column) => read[column] as string | number)];
}
