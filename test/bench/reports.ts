import type { Figure, Report, Section } from '../../src/bench/report';

export function section(changes: Partial<Section>): Section {
  return {
    name: 'turns',
    title: 'One-tool turns',
    load: { before: 0.5, after: 1.25 },
    figures: [],
    curves: [],
    notes: [],
    ...changes,
  };
}

export function figure(changes: Partial<Figure>): Figure {
  return { name: 'time a turn', unit: 'ms', count: 9, min: 1, median: 20, p95: 31.26, ...changes };
}

export function report(...sections: readonly Section[]): Report {
  return {
    schema: 1,
    startedAt: '2026-01-02T03:04:05.000Z',
    machine: {
      cores: 2,
      cpu: 'A CPU',
      node: '20.20.2',
      platform: 'linux x64',
      temporalCli: '1.9.1',
    },
    sections,
  };
}
