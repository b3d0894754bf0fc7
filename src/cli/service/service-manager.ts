import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { toLaunchdPlist, toSystemdUnit, type ServiceRun } from './unit';

/** The part of an operating system that starts services of a user. */
export interface ServiceManager {
  readonly unitFile: string;
  readonly unitText: string;
  /** Each is run in order; the first that fails ends it. */
  readonly enable: readonly Words[];
  readonly disable: readonly Words[];
  /** Succeeds when the service runs. */
  readonly look: Words;
  /** What must be done, once, so that the service starts without a login; null: nothing. */
  readonly atBoot: string | null;
}

export type Words = readonly [string, ...string[]];

/** Undefined: this system has none that we know. */
export function serviceManagerOf(
  platform: NodeJS.Platform,
  run: ServiceRun,
  user: { readonly home: string; readonly uid: number; readonly configFolder: string },
): ServiceManager | undefined {
  if (platform === 'linux') return systemd(run, user.configFolder);
  if (platform === 'darwin') return launchd(run, user);
  return undefined;
}

function systemd(run: ServiceRun, configFolder: string): ServiceManager {
  const unit = `${run.name}.service`;
  const systemctl = (...args: string[]): Words => ['systemctl', '--user', ...args];
  return {
    unitFile: join(configFolder, 'systemd', 'user', unit),
    unitText: toSystemdUnit(run),
    enable: [systemctl('daemon-reload'), systemctl('enable', unit), systemctl('restart', unit)],
    disable: [systemctl('disable', '--now', unit)],
    look: systemctl('is-active', '--quiet', unit),
    atBoot: 'loginctl enable-linger',
  };
}

function launchd(
  run: ServiceRun,
  { home, uid }: { readonly home: string; readonly uid: number },
): ServiceManager {
  const unitFile = join(home, 'Library', 'LaunchAgents', `${run.name}.plist`);
  const domain = `gui/${uid}`;
  return {
    unitFile,
    unitText: toLaunchdPlist(run),
    enable: [['launchctl', 'bootstrap', domain, unitFile]],
    disable: [['launchctl', 'bootout', `${domain}/${run.name}`]],
    look: ['launchctl', 'print', `${domain}/${run.name}`],
    atBoot: null,
  };
}

const ANSWERS_WITHIN_MS = 30_000;

/** null: it succeeded; else what it said. */
export function runWords([file, ...args]: Words): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(file, args, { timeout: ANSWERS_WITHIN_MS }, (error, _stdout, stderr) => {
      if (error === null) resolve(null);
      else if ('code' in error && error.code === 'ENOENT') resolve(`${file} is not installed`);
      else resolve(stderr.trim() === '' ? error.message : stderr.trim());
    });
  });
}
