import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { State } from '../../src/loop/state';
import { params } from './builders';
import { BEFORE, rowsOf, type Constructors, type Row } from './transition-table';

/** One field that one constructor sets: a cell of spec/loop table 1.3. */
interface Cell {
  readonly constructor: string;
  readonly field: string;
  /** As the source says it. */
  readonly rule: string;
  readonly from: number;
  readonly to: number;
}

const source = ts.transpile(readFileSync(join(__dirname, '../../src/loop/state.ts'), 'utf8'), {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2022,
});
const cells = cellsIn(source);
const fields = Object.keys(State.initial(params()));

/** What other rows do with the field, what a query starts with, and what was there before. */
function otherRules({ field, rule }: Cell): readonly string[] {
  const start = JSON.stringify(State.initial(params())[field as keyof State]);
  const known = cells.filter((cell) => cell.field === field).map((cell) => cell.rule);
  return [...new Set([...known, start, `state.${field}`])].filter((other) => other !== rule);
}

test('the table has a cell for each field of State in each of the seven transitions', () => {
  expect(cells).toHaveLength(7 * fields.length);
});

test.each(cells)('$constructor: another rule for $field breaks the table', (cell) => {
  const others = otherRules(cell);

  const unnoticed = others.filter((rule) => isTableOf(withRule(cell, rule)));

  expect(others).not.toEqual([]);
  expect(unnoticed).toEqual([]);
});

test('the constructors as they are keep the table', () => {
  expect(isTableOf(source)).toBe(true);
});

function isTableOf(javaScript: string): boolean {
  const built: { State?: Constructors } = {};
  // The module imports types only, so it runs alone.
  runInNewContext(javaScript, { exports: built });
  const constructors = built.State!;
  try {
    return BEFORE.flatMap((before) => rowsOf(constructors, before)).every(isKept);
  } catch {
    // A rule may need what another constructor is not given.
    return false;
  }
}

/** Cloned, because what runs in a context of its own has prototypes of its own. */
const isKept = ({ after, expected }: Row): boolean =>
  isDeepStrictEqual(structuredClone(after), structuredClone(expected));

const withRule = ({ from, to }: Cell, rule: string): string =>
  source.slice(0, from) + rule + source.slice(to);

/** Constructors are the methods that return an object with a transition. */
function cellsIn(javaScript: string): readonly Cell[] {
  const file = ts.createSourceFile('state.js', javaScript, ts.ScriptTarget.ES2022, true);
  const found: Cell[] = [];
  const visit = (node: ts.Node, constructor: string): void => {
    const name = ts.isMethodDeclaration(node) ? node.name.getText() : constructor;
    if (ts.isReturnStatement(node) && node.expression !== undefined) {
      if (name !== 'initial') found.push(...cellsOf(node.expression, name));
    } else ts.forEachChild(node, (child) => visit(child, name));
  };
  visit(file, '');
  return found;
}

function cellsOf(returned: ts.Expression, constructor: string): readonly Cell[] {
  if (!ts.isObjectLiteralExpression(returned)) return [];
  return returned.properties.filter(ts.isPropertyAssignment).map(({ name, initializer }) => ({
    constructor,
    field: name.getText(),
    rule: initializer.getText(),
    from: initializer.getStart(),
    to: initializer.getEnd(),
  }));
}
