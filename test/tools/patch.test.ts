import { patchBetween } from '../../src/tools/patch';

test('three lines around the change are shown, at their line numbers', () => {
  const before = 'a\nb\nc\nd\nold\ne\nf\ng\nh\n';

  const patch = patchBetween(before, before.replace('old', 'new\nlines'));

  expect(patch).toEqual([
    {
      oldStart: 2,
      oldLines: 7,
      newStart: 2,
      newLines: 8,
      lines: [' b', ' c', ' d', '-old', '+new', '+lines', ' e', ' f', ' g'],
    },
  ]);
});

test('a new file is all additions, and no change is no hunk', () => {
  expect(patchBetween('', 'a\nb\n')[0]?.lines).toEqual(['+a', '+b']);
  expect(patchBetween('a\n', 'a\n')).toEqual([]);
});

test('repeated lines at the seam are not counted twice', () => {
  expect(patchBetween('x\nx\n', 'x\nx\nx\n')[0]?.lines).toEqual([' x', ' x', '+x']);
});
