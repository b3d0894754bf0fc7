import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { kill } from '../support/kill';
import { transpiled } from '../support/transpiled';
import type { ChildReport, ChildTask } from './store-child';

/** A process that works with the store, for tests of what happens between processes. */
export class Child {
  private readonly process: ChildProcess;
  readonly reports: ChildReport[] = [];

  /** `limits`: a ulimit command, such as `ulimit -f 100`. */
  constructor(limits = 'true') {
    const script = transpiled(join(__dirname, 'store-child.ts'));
    const command = `${limits}; exec "$0" "$1"`;
    this.process = spawn('bash', ['-c', command, process.execPath, script], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.process.on('message', (report: ChildReport) => this.reports.push(report));
  }

  start(task: ChildTask): void {
    this.process.send(task);
  }

  /** Waits until the reports say so. */
  async until(isDone: (reports: readonly ChildReport[]) => boolean): Promise<void> {
    const deadline = AbortSignal.timeout(60_000);
    while (!isDone(this.reports)) await once(this.process, 'message', { signal: deadline });
  }

  of<T extends ChildReport['type']>(type: T): Extract<ChildReport, { type: T }>[] {
    return this.reports.filter(
      (report): report is Extract<ChildReport, { type: T }> => report.type === type,
    );
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.process.kill(name);
  }

  end(): Promise<void> {
    return kill(this.process);
  }
}
