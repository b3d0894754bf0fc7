import { readFileSync } from 'node:fs';

/** One thing that a reader of README does. */
export interface Deed {
  readonly heading: string;
  /** `sh`: typed into a shell. `ts`: saved under the name in its first line. */
  readonly language: 'sh' | 'ts';
  readonly text: string;
  /** Lines that README says will be printed; none: it does not say. */
  readonly prints: readonly string[];
}

const HEADING = /^## (.*)$/;
const FENCE = /^```(\w*)$/;

/** What README tells its reader to do, from the first line to the last of these headings. */
export function deedsOf(file: string, lastHeading: string): readonly Deed[] {
  const deeds: Deed[] = [];
  let heading = '';
  let open: { language: string; lines: string[] } | null = null;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [fence, language = ''] = FENCE.exec(line) ?? [];
    if (fence === undefined) {
      if (open !== null) open.lines.push(line);
      else if (HEADING.test(line)) {
        if (heading === lastHeading) return deeds;
        heading = HEADING.exec(line)?.[1] ?? '';
      }
    } else if (open === null) open = { language, lines: [] };
    else {
      addTo(deeds, heading, open);
      open = null;
    }
  }
  if (heading === lastHeading) return deeds;
  throw new Error(`${file} has no heading "${lastHeading}".`);
}

/** A block of text is what the deed before it prints. */
function addTo(
  deeds: Deed[],
  heading: string,
  { language, lines }: { readonly language: string; readonly lines: readonly string[] },
): void {
  if (language === 'sh' || language === 'ts') {
    deeds.push({ heading, language, text: lines.join('\n'), prints: [] });
    return;
  }
  const before = deeds.pop();
  if (language !== 'text' || before?.heading !== heading) {
    throw new Error(`Under "${heading}" a block of '${language}' follows nothing that prints it.`);
  }
  deeds.push({ ...before, prints: lines });
}
