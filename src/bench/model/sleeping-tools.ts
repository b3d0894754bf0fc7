import type { Reply } from '../../scripted-model/reply';

const BLOCK_CHARS = 100;
const DELTA_CHARS = 10;
const DELTA_DELAY_MS = 100;

/** A text and a safe call for each of the seconds, which it sleeps: a block takes a second to stream, and the last
 *  call ends the reply. Then a text. */
export function sleepingTools(seconds: readonly number[]): readonly Reply[] {
  return [
    {
      content: [
        { type: 'text', text: 'x'.repeat(BLOCK_CHARS) },
        ...seconds.map((each, call) => sleepingTool(`toolu_sleep_${call}`, each)),
      ],
      deltaChars: DELTA_CHARS,
      deltaDelayMs: DELTA_DELAY_MS,
    },
    { content: [{ type: 'text', text: 'Done.' }] },
  ];
}

function sleepingTool(id: string, seconds: number) {
  const command = `sleep ${seconds}`;
  const { length } = JSON.stringify({ command, description: '' });
  const input = { command, description: 'x'.repeat(BLOCK_CHARS - length) };
  return { type: 'tool_use' as const, id, name: 'Bash', input };
}
