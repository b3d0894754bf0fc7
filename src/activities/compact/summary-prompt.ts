/** What the model is asked for when its conversation is to be summarised (spec/loop 3.7j).
 *  `instructions`: of the user or of hooks. */
export function summaryPrompt(instructions: readonly string[]): string {
  const more = instructions.filter((text) => text.trim() !== '');
  return [
    PROMPT,
    ...(more.length > 0 ? ['Further instructions for this summary:', ...more] : []),
  ].join('\n\n');
}

const PROMPT = `Write a summary of this conversation. It will take the place of everything above, so that the work can go on without it: whoever continues knows nothing but your summary.

Answer with text only. Do not call any tool: there will be no result.

First think inside <analysis> tags: go through the conversation in order and note what was asked, what was done, which files and commands mattered, and what went wrong. Then write the summary inside <summary> tags, in these nine sections:

1. Request and intent: everything the user asked for, in detail.
2. Key concepts: technologies, conventions and decisions that matter.
3. Files and code: each file that was read, changed or made, why it matters, and the code that whoever continues needs to see.
4. Errors and fixes: what failed, how it was solved, and what the user said about it.
5. Problem solving: what is understood by now, and what is still open.
6. All user messages: every message of the user that is no tool result, in order.
7. Pending tasks: what was asked for and is not done.
8. Current work: exactly what was being done just before this summary, with file names and code.
9. Optional next step: only if it follows directly from the last request; quote the words that ask for it.`;

/** The private part goes; without tags the whole text is the summary. */
export function summaryIn(text: string): string {
  const plain = text.replace(/<analysis>[^]*?<\/analysis>/g, '');
  const inside = /<summary>([^]*?)(?:<\/summary>|$)/.exec(plain)?.[1];
  return (inside ?? plain).trim();
}

/** What the continued conversation begins with. `auto`: nobody is there to be asked. */
export function continuationText(of: {
  readonly summary: string;
  /** Where all of it can be read; null: nowhere. */
  readonly transcriptPath: string | null;
  readonly isAuto: boolean;
  readonly keepsTail: boolean;
}): string {
  return [
    'This conversation continues an earlier one that ran out of context. Its summary:',
    of.summary,
    ...(of.transcriptPath === null
      ? []
      : [
          `If you need something that the summary leaves out (code, an error, a text that was written), read the whole transcript: ${of.transcriptPath}`,
        ]),
    ...(of.keepsTail ? ['The newest messages follow as they were.'] : []),
    ...(of.isAuto
      ? [
          'Go on with the work from where it stopped. Do not ask the user anything about it, do not mention this summary, do not recap.',
        ]
      : []),
  ].join('\n\n');
}
