/** One pass, so that an argument which looks like a placeholder stays as it is. */
const PLACEHOLDER = /\$ARGUMENTS(?:\[(\d+)\]|\b)|\$([1-9])(?!\d)/g;

/** `!` right before a code span, at the beginning of a line or behind a blank; or a block fenced with ```!. */
const LINE = /^```![ \t]*\n([^]*?)\n```[ \t]*$|(?<=^|\s)!`([^`\n]+)`/gm;

export const hasCommandLines = (body: string): boolean => body.search(LINE) >= 0;

/** A body with what was written behind the command's name. Without a placeholder the arguments follow the text. */
export function fillIn(body: string, args: string): string {
  return withArguments(body, args, fillPlaces(body, args));
}

/** The same, with the output of the body's command lines in their place. All run before the model reads any of it, one
 *  after the other: a line may build on the one before. What arguments and outputs say is never a line itself.
 *  Fails: as `run` does. */
export async function fillInAndRun(
  body: string,
  args: string,
  run: (line: string) => Promise<string>,
): Promise<string> {
  const parts: string[] = [];
  let end = 0;
  for (const match of body.matchAll(LINE)) {
    const [all, block, span] = match;
    const line = fillPlaces(block ?? span ?? '', args);
    parts.push(fillPlaces(body.slice(end, match.index), args), await run(line));
    end = match.index + all.length;
  }
  parts.push(fillPlaces(body.slice(end), args));
  return withArguments(body, args, parts.join(''));
}

function fillPlaces(text: string, args: string): string {
  const words = splitArguments(args);
  return text.replace(PLACEHOLDER, (_, index?: string, place?: string) => {
    if (index !== undefined) return words[Number(index)] ?? '';
    return place === undefined ? args : (words[Number(place) - 1] ?? '');
  });
}

function withArguments(body: string, args: string, text: string): string {
  return args === '' || body.search(PLACEHOLDER) >= 0 ? text : `${text}\n\nARGUMENTS: ${args}`;
}

function splitArguments(args: string): readonly string[] {
  return [...args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}
