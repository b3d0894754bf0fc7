import type { z } from 'zod';

/** What the model is told of an input that does not fit the schema (spec/loop 5.3): unexpected parameters
 *  first, then missing ones, then wrong types. */
export function textOfInputError(tool: string, error: z.ZodError, input: unknown): string {
  const lines = error.issues
    .flatMap((issue) => linesOf(issue, input))
    .sort((a, b) => a.rank - b.rank);
  const head = `${tool} failed due to the following ${lines.length === 1 ? 'issue' : 'issues'}:`;
  return ['InputValidationError: ' + head, ...lines.map(({ text }) => text)].join('\n');
}

interface Line {
  readonly rank: number;
  readonly text: string;
}

type Issue = z.ZodError['issues'][number];

function linesOf(issue: Issue, input: unknown): readonly Line[] {
  const path = issue.path.join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        rank: 0,
        text: `An unexpected parameter \`${key}\` was provided`,
      }));
    case 'invalid_type': {
      const given = valueAt(input, issue.path);
      return given === undefined
        ? [{ rank: 1, text: `The required parameter \`${path}\` is missing` }]
        : [
            {
              rank: 2,
              text: `The parameter \`${path}\` type is expected as \`${issue.expected}\` but provided as \`${typeNameOf(given)}\``,
            },
          ];
    }
    case 'too_big':
    case 'too_small':
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'invalid_value':
    case 'custom':
      return [
        {
          rank: 3,
          text: path === '' ? issue.message : `The parameter \`${path}\`: ${issue.message}`,
        },
      ];
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    input,
  );
}

const typeNameOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
