import type { ImageBlockParam, TextBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { join } from 'node:path';
import { disk } from '../disk/disk';
import type { ToolResultContent } from '../transcript/record';

/** The API's limit for the encoded image. */
const LONGEST_IMAGE_CHARS = 5 * 1024 * 1024;
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

type Part = TextBlockParam | ImageBlockParam;

/** What the model sees of a result: texts and images. Bytes that it cannot be shown go into files of `folder`.
 *  One text stays a plain string. */
export async function toResultContent(
  { content, structuredContent, isError }: CallToolResult,
  folder: string,
): Promise<ToolResultContent> {
  // The structured form says the same as the texts, exactly.
  const isStructured = structuredContent !== undefined && isError !== true;
  const shown = isStructured ? content.filter(({ type }) => type !== 'text') : content;
  const parts = await Promise.all(
    shown.map((block, index) => toPart(block, join(folder, `part-${index + 1}`))),
  );
  const all = isStructured ? [text(JSON.stringify(structuredContent)), ...parts] : parts;
  return all.every((part) => part.type === 'text') ? all.map((part) => part.text).join('\n') : all;
}

/** A block of a result or of a prompt. `file`: where bytes go, without an ending. */
async function toPart(block: ContentBlock, file: string): Promise<Part> {
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'image':
      return toImage(block) ?? kept(block, file);
    case 'audio':
      return kept(block, file);
    case 'resource_link':
      return text(`[Resource ${block.name}: ${block.uri}]`);
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return text(`[Resource ${resource.uri}]\n${resource.text}`);
      const { blob: data, mimeType = 'application/octet-stream' } = resource;
      return toImage({ data, mimeType }) ?? kept({ data, mimeType }, file);
    }
  }
}

export interface Bytes {
  /** base64 */
  readonly data: string;
  readonly mimeType: string;
}

/** undefined: the API takes no such image. */
export function toImage({ data, mimeType }: Bytes): ImageBlockParam | undefined {
  const type = IMAGE_TYPES.find((each) => each === mimeType);
  if (type === undefined || data.length > LONGEST_IMAGE_CHARS) return undefined;
  return { type: 'image', source: { type: 'base64', media_type: type, data } };
}

/** Writes the bytes into a file and says where. */
export async function kept({ data, mimeType }: Bytes, file: string): Promise<TextBlockParam> {
  const bytes = Buffer.from(data, 'base64');
  const ending = /^[\w-]+\/([\w-]+)/.exec(mimeType)?.[1] ?? 'bin';
  const place = `${file}.${ending}`;
  await disk.mkdir(join(place, '..'), { recursive: true, mode: 0o700 });
  await disk.writeFile(place, bytes, { mode: 0o600 });
  return text(`[${mimeType}, ${bytes.length} bytes, kept in ${place}]`);
}

const text = (value: string): TextBlockParam => ({ type: 'text', text: value });
