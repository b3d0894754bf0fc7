import type { ImageBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { FileSnapshot } from './file-snapshot';
import { ToolError } from './tool';

/** The API's limit for the encoded image. */
const ENCODED_LIMIT_BYTES = 5 * 1024 * 1024;

type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** The file as an image block, or undefined if it is none. Its first bytes decide: the API refuses the whole
 *  request when an image is not what its name says. */
export function toImageBlock({ path, bytes }: FileSnapshot): ImageBlockParam | undefined {
  if (imageType(bytes) === undefined) return undefined;
  const block = imageBlockOf(bytes);
  if (block !== undefined) return block;
  throw new ToolError(
    `${path} is an image of ${encodedLength(bytes)} bytes in base64; ` +
      `at most ${ENCODED_LIMIT_BYTES} can be shown. Make a smaller copy first.`,
  );
}

/** undefined: no image that the API would take. */
export function imageBlockOf(bytes: Buffer): ImageBlockParam | undefined {
  const type = imageType(bytes);
  if (type === undefined || encodedLength(bytes) > ENCODED_LIMIT_BYTES) return undefined;
  const data = bytes.toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: type, data } };
}

const encodedLength = ({ length }: Buffer): number => Math.ceil(length / 3) * 4;

function imageType(bytes: Buffer): ImageType | undefined {
  const start = bytes.subarray(0, 12).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  if (/^RIFF....WEBP/s.test(start)) return 'image/webp';
  return undefined;
}
