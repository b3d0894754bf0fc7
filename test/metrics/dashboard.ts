import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** The panels that show something. */
export function panels(): readonly Panel[] {
  const file = join(__dirname, '..', '..', 'dashboards', 'everloop.json');
  const dashboard = JSON.parse(readFileSync(file, 'utf8')) as { readonly panels: readonly Panel[] };
  return dashboard.panels.filter(({ type }) => type !== 'row');
}

/** PromQL of all panels, with what Grafana puts in the place of its variables. */
export const panelQueries = (): readonly string[] =>
  panels().flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr
        .replaceAll('$__rate_interval', '5m')
        .replaceAll('$__range', '5m')
        .replaceAll('$job', '.*'),
    ),
  );
