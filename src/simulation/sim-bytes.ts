/** Bytes that can be overwritten, cut and extended; what is skipped reads as zeros, as in a file. */
export class SimBytes {
  private bytes = Buffer.alloc(64);
  size = 0;

  write(at: number, more: Buffer): void {
    const end = at + more.length;
    if (end > this.bytes.length) {
      const larger = Buffer.alloc(Math.max(end, this.bytes.length * 2));
      this.bytes.copy(larger, 0, 0, this.size);
      this.bytes = larger;
    }
    if (at > this.size) this.bytes.fill(0, this.size, at);
    more.copy(this.bytes, at);
    this.size = Math.max(this.size, end);
  }

  truncate(length: number): void {
    if (length > this.size) this.write(length, Buffer.alloc(0));
    this.size = length;
  }

  read(from: number, into: Buffer): number {
    return from >= this.size ? 0 : this.bytes.copy(into, 0, from, this.size);
  }

  all(): Buffer {
    return Buffer.from(this.bytes.subarray(0, this.size));
  }

  copy(): SimBytes {
    const copied = new SimBytes();
    copied.write(0, this.bytes.subarray(0, this.size));
    return copied;
  }
}
