import type { DiskFile } from '../disk/disk';
import type { SimDisk } from './sim-disk';

/** An open file of the simulated disk. */
export class SimHandle implements DiskFile {
  constructor(
    readonly fd: number,
    private readonly disk: SimDisk,
  ) {}

  async writeFile(content: string | Buffer): Promise<void> {
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length;) {
      at += await this.disk.write(this.fd, bytes.subarray(at));
    }
  }

  datasync(): Promise<void> {
    return this.disk.datasync(this.fd);
  }

  sync(): Promise<void> {
    return this.disk.sync(this.fd);
  }

  async chmod(): Promise<void> {
    // Who may do what is not simulated.
  }

  async read(into: Buffer, offset: number, length: number, position: number) {
    const bytesRead = await this.disk.look('read', this.fd, () =>
      this.disk.readSync(this.fd, into, offset, length, position),
    );
    return { bytesRead, buffer: into };
  }

  readFile(): Promise<Buffer> {
    return this.disk.look('read', this.fd, () => this.disk.contentOf(this.fd));
  }

  stat() {
    return this.disk.look('stat', this.fd, () => this.disk.fstatSync(this.fd));
  }

  async close(): Promise<void> {
    this.disk.closeSync(this.fd);
  }
}
