import type { OutputOptions } from '../command';
import { jsonOutput } from './json';
import type { OutputStream } from './output-stream';
import type { SessionOutput } from './session-output';
import { streamJsonOutput } from './stream-json';
import { textOutput } from './text';

export function createOutput(
  options: OutputOptions,
  stdout: OutputStream,
  stderr: OutputStream,
): SessionOutput {
  switch (options.format) {
    case 'stream-json':
      return streamJsonOutput(stdout);
    case 'json':
      return jsonOutput(stdout, options);
    case 'text':
      return textOutput(stdout, stderr);
  }
}
