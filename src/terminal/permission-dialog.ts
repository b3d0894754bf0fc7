import { patchBetween } from '../tools/patch';
import {
  NO_GRANTS,
  type PermissionAnswer,
  type PermissionQuestion,
} from '../transcript/permission';
import { printable, wrapped, type Block } from './block';
import type { Choice } from './choice-list';
import type { ViewOptions } from './item-view';
import { tellingInput } from './tool-title';
import { diffView } from './tool-view';

/** What a person may say to a call that waits. */
type Verdict = 'once' | 'always' | 'no';

function verdictsOf({ suggestedRules }: PermissionQuestion): readonly Verdict[] {
  return suggestedRules.length > 0 ? ['once', 'always', 'no'] : ['once', 'no'];
}

export function permissionChoices(question: PermissionQuestion): readonly Choice[] {
  const rules = question.suggestedRules.join(', ');
  const choices: Readonly<Record<Verdict, Choice>> = {
    once: { label: 'Yes' },
    always: { label: `Yes, and from now on in this session: ${rules}` },
    no: { label: 'No, and say what to do instead', asksFor: 'Reason (may be empty)' },
  };
  return verdictsOf(question).map((verdict) => choices[verdict]);
}

/** `place`: of the choice. */
export function permissionAnswer(
  question: PermissionQuestion,
  { place, text, by }: { readonly place: number; readonly text: string; readonly by: string },
): PermissionAnswer {
  const verdict = verdictsOf(question)[place] ?? 'no';
  switch (verdict) {
    case 'once':
      return { behavior: 'allow', by };
    case 'always':
      return { behavior: 'allow', by, grants: { ...NO_GRANTS, allow: question.suggestedRules } };
    case 'no':
      return { behavior: 'deny', by, message: text === '' ? 'The user said no.' : text };
  }
}

/** Whoever cancels wants it all to stop: the query ends, and the person says what next. */
export const cancelledAnswer = (by: string): PermissionAnswer => ({
  behavior: 'deny',
  by,
  message: 'The user said no and wants to say what to do instead.',
  interrupt: true,
});

/** What would run, above the choices. */
export function questionView(question: PermissionQuestion, options: ViewOptions): readonly Block[] {
  const { theme } = options;
  const { toolName, input, reason } = question;
  const title = `${theme.warning('?')} ${theme.bold(`${toolName} wants to run`)}`;
  return [
    wrapped(title, `  ${printable(wholeInput(toolName, input))}`),
    ...changes(input, options),
    wrapped(theme.dim(`  ${printable(reason)}`)),
  ];
}

/** A command is read as a whole before it is allowed. */
function wholeInput(toolName: string, input: unknown): string {
  if (typeof input === 'object' && input !== null && 'command' in input) {
    if (typeof input.command === 'string') return input.command.replace(/\n/g, '\n  ');
  }
  return tellingInput(toolName, input);
}

/** What Edit and Write would do to the file. */
function changes(input: unknown, options: ViewOptions): readonly Block[] {
  if (typeof input !== 'object' || input === null) return [];
  const {
    old_string: before,
    new_string: after,
    content,
  } = input as Readonly<Record<string, unknown>>;
  const [hunk] =
    typeof before === 'string' && typeof after === 'string'
      ? patchBetween(before, after)
      : typeof content === 'string'
        ? patchBetween('', content)
        : [];
  return hunk === undefined ? [] : diffView(hunk.lines, options);
}
