import { endianness } from 'node:os';

/** One instruction of classic BPF: code, jump if true, jump if false, constant. */
type Instruction = readonly [number, number, number, number];

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const REFUSE = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;

/** Offsets in `struct seccomp_data`; of an argument, the lower half. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

const AF_UNIX = 1;
/** Calls from here on are the 32-bit dress of the same ones. */
const X32 = 0x40000000;

interface Machine {
  readonly audit: number;
  readonly socket: number;
  /** Keys of the session that we were started from. */
  readonly keys: readonly number[];
}

/** io_uring opens sockets without the call that is filtered; the same number everywhere. */
const IO_URING = [425, 426, 427];

const MACHINES: Readonly<Partial<Record<NodeJS.Architecture, Machine>>> = {
  x64: { audit: 0xc000003e, socket: 41, keys: [248, 249, 250] },
  arm64: { audit: 0xc00000b7, socket: 198, keys: [217, 218, 219] },
};

/** A seccomp program that refuses new Unix sockets, through which programs outside could be told what to do: mounts
 *  and namespaces do not close them. Pairs of sockets stay. Calls of another architecture are refused altogether.
 *  undefined: this machine's numbers are not known. Source: seccomp(2), linux/audit.h. */
export function socketFilter(architecture: NodeJS.Architecture): Buffer | undefined {
  const machine = MACHINES[architecture];
  if (machine === undefined || endianness() !== 'LE') return undefined;
  const refusedCalls = [...IO_URING, ...machine.keys];
  const instructions: readonly Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_IF_EQUAL, 1, 0, machine.audit],
    [RETURN, 0, 0, REFUSE | ENOSYS],
    [LOAD, 0, 0, NUMBER],
    [JUMP_IF_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, REFUSE | ENOSYS],
    ...refusedCalls.flatMap((call): readonly Instruction[] => [
      [JUMP_IF_EQUAL, 0, 1, call],
      [RETURN, 0, 0, REFUSE | ENOSYS],
    ]),
    [JUMP_IF_EQUAL, 0, 3, machine.socket],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [JUMP_IF_EQUAL, 0, 1, AF_UNIX],
    [RETURN, 0, 0, REFUSE | EPERM],
    [RETURN, 0, 0, ALLOW],
  ];
  return Buffer.concat(instructions.map(toBytes));
}

function toBytes([code, yes, no, constant]: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(constant >>> 0, 4);
  return bytes;
}
