import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { textField } from '../../permissions/file-target';
import { digestOf } from '../../tools/file-snapshot';
import { replaceText } from '../../tools/text-replacement';
import type { TranscriptRecord } from '../../transcript/record';
import { applyShownChange } from './shown-change';

/** The whole text of a file as the context last saw it, put together from what its records show and checked by
 *  the digest; null: it was never shown whole. Nothing has to be stored beside the transcript for it. */
export function recallText(chain: readonly TranscriptRecord[], file: string): string | null {
  const calls = new Map<string, Call>();
  let text: string | null = null;
  for (const record of chain) {
    for (const call of callsOf(record)) calls.set(call.id, call);
    const seen = record.everloop?.files?.findLast(({ path }) => path === file);
    if (seen === undefined) continue;
    const before: string | null = text;
    const guesses: readonly (string | null)[] = [...guess(record, file, before, calls), before];
    text =
      guesses
        .flatMap((each) => (each === null ? [] : spellings(each)))
        .find((each) => digestOf(Buffer.from(each)) === seen.digest) ?? null;
  }
  return text;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

const callsOf = (record: TranscriptRecord): readonly Call[] =>
  record.type === 'assistant'
    ? record.message.content.filter((block) => block.type === 'tool_use')
    : [];

/** Texts that the file may have had after this record. */
function guess(
  record: TranscriptRecord,
  file: string,
  before: string | null,
  calls: ReadonlyMap<string, Call>,
): readonly (string | null)[] {
  if (record.type === 'attachment') {
    return textsOf(record.attachment.content).flatMap((text) => [
      mentioned(text, file),
      before === null ? null : applyShownChange(before, text, file),
    ]);
  }
  if (record.type !== 'user' || typeof record.message.content === 'string') return [];
  return record.message.content.flatMap((block) => {
    if (block.type !== 'tool_result') return [];
    const call = calls.get(block.tool_use_id);
    const shown = typeof block.content === 'string' ? block.content : '';
    return call === undefined ? [] : [textAfter(call, shown, before)];
  });
}

function textAfter({ name, input }: Call, shown: string, before: string | null): string | null {
  switch (name) {
    case 'Read':
      // An empty file is shown as a sentence.
      return withoutNumbers(shown) ?? '';
    case 'Write':
      return textField(input, 'content');
    case 'Edit':
      return edited(input, before);
    default:
      return null;
  }
}

/** What Read shows of a file that it shows whole. */
function withoutNumbers(shown: string): string | null {
  const lines = shown
    .split('\n')
    .map((line) => /^ *\d+\t(?<line>[^]*)$/.exec(line)?.groups?.['line']);
  return lines.every((line) => line !== undefined) ? lines.join('\n') : null;
}

function edited(input: unknown, before: string | null): string | null {
  const old_string = textField(input, 'old_string');
  const new_string = textField(input, 'new_string');
  if (old_string === '') return new_string;
  if (before === null) return null;
  // If it was ambiguous it failed, and no file was seen with it.
  const replaced = replaceText(before, { old_string, new_string, replace_all: true });
  return replaced.type === 'replaced' ? replaced.text : null;
}

/** What a mention of the file in a prompt has brought in. */
function mentioned(text: string, file: string): string | null {
  const opening = `<file path="${file}">\n`;
  const start = text.indexOf(opening);
  const end = text.indexOf('\n</file>', start);
  return start === -1 || end === -1 ? null : text.slice(start + opening.length, end);
}

/** What is shown leaves out line ends and the byte order mark. */
function spellings(text: string): readonly string[] {
  const crlf = text.replace(/\r?\n/g, '\r\n');
  const ended = [text, `${text}\n`, crlf, `${crlf}\r\n`];
  return [...ended, ...ended.map((each) => `\uFEFF${each}`)];
}

const textsOf = (content: readonly ContentBlockParam[]): readonly string[] =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
