/** Content of a record's message, or of what it attaches; undefined: it has none. */
export function contentOf(record: object): unknown {
  const holder: unknown = Reflect.get(record, 'message') ?? Reflect.get(record, 'attachment');
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, 'content') : undefined;
}
