import { EventEmitter } from 'node:events';
import { basename, dirname, join } from 'node:path';
import type { Random } from './random';
import type { Scheduler, SimProcess } from './scheduler';
import { failure, type SimFileSystem } from './sim-file-system';
import type { SimFile } from './sim-inode';

/** Above every pid that a real system gives away, so that a signal from here could reach nobody. */
const FIRST_PID = 100_000_000;

interface Command extends SimProcess {
  readonly pid: number;
  readonly startTime: string;
}

/** The commands of the simulated machine. Each is the wrapper of a call (tools/shell/wrapper-script.ts): it claims
 *  its start, has its effect, prints, and leaves its exit code. It outlives the Worker that started it. */
export class SimCommands {
  private readonly running = new Map<number, Command>();
  private readonly claimed = new Set<string>();
  private lastPid = FIRST_PID;
  private boot = 1;

  constructor(
    private readonly world: {
      readonly files: SimFileSystem;
      readonly scheduler: Scheduler;
      readonly random: Random;
      /** What the command does to the world outside. */
      readonly onEffect: (command: string) => void;
    },
  ) {}

  /** What `/proc` shows; undefined: it has no such file. */
  readonly procfs = (path: string): string | undefined => {
    if (!path.startsWith('/proc/')) return undefined;
    if (path === '/proc/sys/kernel/random/boot_id') return `boot-${this.boot}\n`;
    const pid = Number(/^\/proc\/(\d+)\/stat$/.exec(path)?.[1]);
    const command = this.running.get(pid);
    if (command === undefined) throw failure('ENOENT', path);
    // proc(5): state is field 3, the parent 4, the group 5, the start time 22.
    return `${pid} (sh) S 1 ${pid} ${'0 '.repeat(16)}${command.startTime}`;
  };

  /** In the place of `child_process.spawn`. */
  readonly spawn = (_shell: string, args: readonly string[]): EventEmitter => {
    const { scheduler } = this.world;
    const parent = scheduler.current;
    const pid = ++this.lastPid;
    const command: Command = {
      name: `command ${pid - FIRST_PID}`,
      state: 'running',
      pid,
      startTime: String(this.lastPid * 10),
    };
    this.running.set(pid, command);
    const child = Object.assign(new EventEmitter(), {
      pid,
      exitCode: null as number | null,
      signalCode: null,
      unref: () => undefined,
    });
    scheduler.start(command, 'begins', () => {
      void this.run(command, claimOf(args[1] ?? '')).then((code) => {
        this.running.delete(pid);
        scheduler.start(parent, 'hears of the exit', () => {
          child.exitCode = code;
          child.emit('exit', code, null);
        });
      });
    });
    scheduler.start(parent, 'hears of the start', () => child.emit('spawn'));
    return child;
  };

  /** Whether a start of the call has been claimed by its wrapper. */
  hasClaimed(recordId: string): boolean {
    return this.claimed.has(recordId);
  }

  /** All of them are gone, and a new boot begins. */
  cutPower(): void {
    for (const command of this.running.values()) this.world.scheduler.kill(command);
    this.running.clear();
    this.boot += 1;
  }

  private async run(command: Command, claim: string): Promise<number> {
    const { scheduler, files, onEffect } = this.world;
    const folder = dirname(claim);
    const number = basename(claim).split('.').at(-1) ?? '';
    const own = (flags: { readonly appends?: boolean }, path: string, text: string) => {
      const isAppending = flags.appends === true;
      const opened = files.open(path, { ...PLAIN, appends: isAppending }, 0o600);
      if (!isAppending) (opened.inode as SimFile).truncate(0);
      files.write(opened, Buffer.from(text), undefined);
    };
    const claimed = await scheduler.step('claims', () => {
      if (files.find(claim) !== undefined) return false;
      files.open(claim, { ...PLAIN, isExclusive: true }, 0o600);
      this.claimed.add(basename(folder));
      return true;
    });
    if (!claimed) return 125;
    const identity = `${command.pid} boot-${this.boot} ${command.startTime}\n`;
    await scheduler.step('names itself', () => own({}, claim, identity));
    const text = await scheduler.step('reads its text', () =>
      files
        .requireFile(join(folder, `command.${number}`))
        .content()
        .toString(),
    );
    await scheduler.step('has its effect', () => onEffect(text));
    const output = join(folder, 'output');
    await scheduler.step('prints', () => own({ appends: true }, output, 'one\n'));
    await scheduler.step('prints', () => own({ appends: true }, output, 'two\n'));
    await scheduler.step('leaves its exit code', () => own({}, join(folder, 'exit'), '0\n'));
    return 0;
  }
}

const PLAIN = { creates: true, isExclusive: false, truncates: false, appends: false };

/** The file by which the wrapper claims its start. */
function claimOf(script: string): string {
  const claim = /'([^']*\/process\.\d+)'/.exec(script)?.[1];
  if (claim === undefined) throw new Error('The wrapper script names no claim.');
  return claim;
}
