import { deflateSync, gzipSync } from 'node:zlib';
import { findMarkers, findPlainly } from '../../cluster/scan/find-markers';

const WORD = 'QuillwortPrompt';
const around = (bytes: Buffer, before = ''): Buffer =>
  Buffer.concat([Buffer.from(before), bytes, Buffer.from(' and more')]);
const base64 = (text: string): Buffer => Buffer.from(Buffer.from(text).toString('base64'));

test.each([
  ['as it is', around(Buffer.from(WORD))],
  ['in capitals', around(Buffer.from(WORD.toUpperCase()))],
  ['as UTF-16', around(Buffer.from(WORD, 'utf16le'))],
  ['as base64', base64(`{"a":"${WORD}"}`)],
  ['as base64 that begins a byte later', base64(`{"ab":"${WORD}"}`)],
  ['as base64 that begins two bytes later', base64(`{"abc":"${WORD}"}`)],
  ['as base64 behind other letters', around(base64(WORD), 'x/y')],
  ['as hex', Buffer.from(Buffer.from(WORD).toString('hex'))],
  ['within gzip', around(gzipSync(`a ${WORD}`), 'head')],
  ['within zlib', around(deflateSync(`a ${WORD}`), 'head')],
  ['as base64 of gzip of base64', gzipped(WORD)],
])('a marker is found %s', (_form, bytes) => {
  expect(findMarkers(bytes, ['Absent', WORD])).toEqual([WORD]);
});

test.each([0, 1, 2])('in large files it is found as base64 that begins at byte %d', (shift) => {
  const bytes = base64(`${'x'.repeat(shift)}${WORD}!`);

  expect(findPlainly(around(bytes), ['Absent', WORD])).toEqual([WORD]);
});

function gzipped(word: string): Buffer {
  return Buffer.from(gzipSync(base64(`a ${word}`)).toString('base64'));
}
