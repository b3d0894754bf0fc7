import { panelQueries, panels } from './dashboard';

/** The grammar of Prometheus's own editor. Its types are for programs of another module system. */
const { parser } = jest.requireActual<{
  readonly parser: { parse(text: string): { iterate(of: { enter: (node: Node) => void }): void } };
}>('@prometheus-io/lezer-promql');

interface Node {
  readonly type: { readonly isError: boolean };
  readonly from: number;
}

/** Places that are no PromQL. */
function errorsIn(query: string): readonly string[] {
  const errors: string[] = [];
  parser.parse(query).iterate({
    enter: ({ type, from }) => {
      if (type.isError) errors.push(`${query.slice(0, from)}⚡${query.slice(from)}`);
    },
  });
  return errors;
}

test('each panel asks something, and has a title of its own', () => {
  const titles = panels().map(({ title }) => title);

  expect(new Set(titles).size).toBe(titles.length);
  expect(panels().filter(({ targets = [] }) => targets.length === 0)).toEqual([]);
});

test.each(panelQueries())('%s is PromQL', (query) => {
  expect(errorsIn(query)).toEqual([]);
});

test('what is no PromQL is found out', () => {
  expect(errorsIn('sum by (le) (rate(everloop_turns_total[5m])')).not.toEqual([]);
});
