import { lookAtProcesses, readProcess, readWithPs } from '../../../src/tools/shell/process-table';

test('this process and its parent are found', () => {
  const self = readProcess(process.pid);

  expect(self).toMatchObject({ pid: process.pid, parent: process.ppid, isZombie: false });
  expect(lookAtProcesses(new Set()).entries.map((entry) => entry.pid)).toContain(process.ppid);
});

test('who is known already is counted and not read again', () => {
  const { pids, entries } = lookAtProcesses(new Set([process.pid]));

  expect(pids).toContain(process.pid);
  expect(entries.map((entry) => entry.pid)).not.toContain(process.pid);
});

test('ps tells the same, and nothing of a process that does not exist', () => {
  const { pid, parent, group } = readProcess(process.pid)!;

  const [entry] = readWithPs(['-p', String(process.pid)]);

  expect(entry).toMatchObject({ pid, parent, group, isZombie: false });
  expect(entry?.startTime).toMatch(/^\w+ \w+ \d+ \d\d:\d\d:\d\d \d{4}$/);
  expect(readWithPs(['-p', '4194305'])).toEqual([]);
});
