import { dirname, join } from 'node:path';

/** The program of a reference server, as a user would start it. */
function program(name: string): string {
  return join(
    dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)),
    'dist',
    'index.js',
  );
}

export const everything = (): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [program('server-everything'), 'stdio'],
});

export const filesystem = (folder: string): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [program('server-filesystem'), folder],
});

export const memory = (file: string): { command: string; args: string[]; env: object } => ({
  command: process.execPath,
  args: [program('server-memory')],
  env: { MEMORY_FILE_PATH: file },
});

/** Not from npm: it refuses to end. `notes`: file that it writes to. */
export const stubborn = (notes: string): { command: string; args: string[]; env: object } => ({
  command: process.execPath,
  args: [join(__dirname, 'stubborn-server.cjs')],
  env: { NOTES: notes },
});
