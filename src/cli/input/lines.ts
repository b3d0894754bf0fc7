const LINE_FEED = 0x0a;

/** Lines of a byte stream, without their ends. Only \n ends a line: other separators may stand inside JSON texts.
 *  Bytes are joined before they are decoded, so a character may be cut anywhere; a line may be tens of MB. */
export async function* readLines(
  source: AsyncIterable<Buffer | string>,
): AsyncGenerator<string, void> {
  let parts: Buffer[] = [];
  for await (const chunk of source) {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      yield Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8');
      parts = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) parts.push(rest);
  }
  if (parts.length > 0) yield Buffer.concat(parts).toString('utf8');
}
