import { randomUUID } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { keepChange } from '../../src/checkpoints/keep-change';
import { lookAtFiles } from '../../src/checkpoints/look-at-files';
import type { RewindPoint } from '../../src/checkpoints/rewind-point';
import type { Tool } from '../../src/tools/tool';
import type { Lease, SessionStore, TranscriptStore } from '../../src/transcript/store';
import { createWorkspace, type Workspace } from '../tools/tool-call';
import * as build from '../transcript/builders';
import { createFilePlace, type FilePlace } from '../transcript/file-place';

/** A session whose file tools keep what they change, without a model and a Workflow. */
export class KeptSession {
  /** Records of the calls so far. */
  readonly records: string[] = [];

  private constructor(
    readonly place: FilePlace,
    readonly workspace: Workspace,
    readonly store: SessionStore,
    readonly lease: Lease,
  ) {}

  static async open(): Promise<KeptSession> {
    const place = createFilePlace();
    const workspace = await createWorkspace();
    const stores: TranscriptStore = await place.open();
    const store = await stores.createSession(build.meta(workspace.folder));
    const lease = await store.acquireLease(build.owner('first'), build.alive);
    return new KeptSession(place, workspace, store, lease);
  }

  async close(): Promise<void> {
    await this.place.dispose();
    await this.workspace.remove();
  }

  path(name: string): string {
    return join(this.workspace.folder, name);
  }

  /** A call of a file tool, as `runTool` makes it. Returns the record of the call. */
  async call<Input>(
    tool: Tool<Input>,
    input: Input,
    recordId: string = randomUUID(),
  ): Promise<string> {
    const call = { id: 'call', recordId };
    await this.workspace.call(tool, input, {
      beforeChange: (change) => keepChange(this, call, change),
    });
    await this.store.ledger.recordResult(this.lease, call, build.callResult('done'));
    this.records.push(recordId);
    return recordId;
  }

  /** Something else than a file tool did something. */
  async look(at: string = randomUUID()): Promise<string> {
    await lookAtFiles(this, at, { always: true });
    this.records.push(at);
    return at;
  }

  /** Behind the first `count` calls and looks. */
  behind(count: number): RewindPoint {
    const kept = this.records.slice(0, count);
    return { leaf: kept.at(-1) ?? null, kept: new Set(kept), message: null, name: 'then' };
  }

  /** Everything in the folder: bytes as latin1, and permission bits. */
  tree(): Readonly<Record<string, string>> {
    return treeOf(this.workspace.folder);
  }

  chmod(name: string, mode: number): void {
    chmodSync(this.path(name), mode);
  }
}

export function treeOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = (statSync(path).mode & 0o7777).toString(8);
    const content = entry.isFile() ? readFileSync(path, 'latin1') : '(folder)';
    return [path.slice(folder.length + 1), `${mode} ${content}`] as const;
  });
  return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b)));
}
