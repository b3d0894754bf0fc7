import { temporal } from '@temporalio/proto';
import { ATTRIBUTES, ATTRIBUTE_TYPES } from './search-attributes';

type Services = temporal.api.operatorservice.v1.OperatorService;
type Workflows = temporal.api.workflowservice.v1.WorkflowService;

/** A namespace, and how to ask its server. */
export interface Namespace {
  readonly name: string;
  readonly operatorService: Pick<Services, 'listSearchAttributes' | 'addSearchAttributes'>;
  readonly workflowService: Pick<Workflows, 'countWorkflowExecutions'>;
}

/** Why Workflows cannot set our search attributes; null: they can. */
export type Problem = string | null;

/** Registers what the namespace lacks. Asks first: most of the time all of them are there. Never fails: without them
 *  everything works, but nothing can be searched for. */
export async function registerSearchAttributes(namespace: Namespace): Promise<Problem> {
  return orProblem(async () => {
    const { missing, problem } = await lookInto(namespace);
    if (problem !== null || missing.length === 0) return problem;
    await namespace.operatorService.addSearchAttributes({
      namespace: namespace.name,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, indexedAs(name)])),
    });
    // A cluster may take a while to hear of them, and a Workflow that sets them before would wait for that.
    await namespace.workflowService.countWorkflowExecutions({
      namespace: namespace.name,
      query: `${ATTRIBUTES.status.name} = 'running'`,
    });
    return null;
  });
}

/** As `registerSearchAttributes`, and changes nothing. */
export async function missingSearchAttributes(namespace: Namespace): Promise<Problem> {
  return orProblem(async () => {
    const { missing, problem } = await lookInto(namespace);
    if (problem !== null || missing.length === 0) return problem;
    return `namespace ${namespace.name} has no ${missing.join(', ')}`;
  });
}

/** For an administrator of the namespace. */
export const REGISTER_COMMAND = `temporal operator search-attribute create ${Object.entries(
  ATTRIBUTE_TYPES,
)
  .map(([name, type]) => `--name ${name} --type ${type}`)
  .join(' ')}`;

async function lookInto({ name: namespace, operatorService }: Namespace) {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const names = Object.keys(ATTRIBUTE_TYPES);
  const missing = names.filter((name) => customAttributes[name] == null);
  const others = names.filter(
    (name) => !missing.includes(name) && customAttributes[name] !== indexedAs(name),
  );
  const problem =
    others.length === 0
      ? null
      : `namespace ${namespace} has ${others.join(', ')} with another type than ours`;
  return { missing, problem };
}

const { IndexedValueType } = temporal.api.enums.v1;

const INDEXED = {
  Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  Int: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  Double: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
} as const;

const indexedAs = (name: string) => INDEXED[ATTRIBUTE_TYPES[name] ?? 'Keyword'];

const orProblem = (look: () => Promise<Problem>): Promise<Problem> =>
  look().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
