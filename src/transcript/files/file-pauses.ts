import { join } from 'node:path';
import { disk } from '../../disk/disk';
import type { ProviderPauses } from '../store';
import { requireFileName } from './file-name';

/** One small file a provider. A pause is a courtesy: a write that is lost, or half done, costs a refused request. */
export class FilePauses implements ProviderPauses {
  constructor(private readonly folder: string) {}

  remainingMs(provider: string): Promise<number> {
    return Promise.resolve(Math.max(0, this.untilMs(provider) - Date.now()));
  }

  async pause(provider: string, ms: number): Promise<void> {
    const untilMs = Date.now() + ms;
    if (untilMs <= this.untilMs(provider)) return;
    disk.mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    disk.writeFileSync(this.file(provider), String(Math.ceil(untilMs)), { mode: 0o600 });
  }

  private untilMs(provider: string): number {
    const file = this.file(provider);
    if (!disk.existsSync(file)) return 0;
    const untilMs = Number(disk.readFileSync(file, 'utf8'));
    return Number.isFinite(untilMs) ? untilMs : 0;
  }

  private file(provider: string): string {
    return join(this.folder, requireFileName(provider));
  }
}
