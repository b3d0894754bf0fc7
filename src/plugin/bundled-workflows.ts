import * as ours from '../workflows';
import * as replaced from './replaced-by-their-workflows';

const theirs: Readonly<Record<string, unknown>> = replaced;

const taken = Object.keys(ours).filter((name) => theirs[name] !== undefined);
if (taken.length > 0) {
  throw new Error(
    `Your Workflows and those of everloop have the same name: ${taken.join(', ')}. Rename yours.`,
  );
}

export * from './replaced-by-their-workflows';
export * from '../workflows';

/** Theirs for types that no Workflow has, if there is one. */
const dynamic = theirs['default'];
export default dynamic;
