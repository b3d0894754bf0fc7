// Needs bubblewrap and user namespaces; else its tests are skipped.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { sandboxedPlace, sandboxTest, type SandboxedPlace } from './sandboxed';

let place: SandboxedPlace;
beforeEach(async () => {
  place = await sandboxedPlace();
});
afterEach(() => place.remove());

const outsideFile = () => path.join(place.outside, 'file');

sandboxTest('the workspace and the temporary folder are written, and stay', async () => {
  const output = await place.run(
    'echo a > inside; mkdir -p x/y; echo b > /tmp/note; echo c > $TMPDIR/other; cat inside /tmp/note /tmp/other',
  );
  const later = await place.run('cat /tmp/note $TMPDIR/other');

  expect(output).toBe('a\nb\nc');
  expect(later).toBe('b\nc');
  expect(await readFile(path.join(place.workspace, 'inside'), 'utf8')).toBe('a\n');
  expect(existsSync('/tmp/note')).toBe(false);
});

sandboxTest.each([
  ['a path', () => `echo x > ${outsideFile()}`],
  ['a link that it makes', () => `ln -s ${place.outside} link; echo x > link/file`],
  ['..', () => `cd ..; echo x > outside/file`],
  ['a link to a link of /proc', () => `echo x > /proc/self/root${outsideFile()}`],
  [
    'the working folder of another process',
    () => `for p in /proc/[0-9]*; do echo x > $p/cwd/../outside/file; done`,
  ],
  ['the root of process 1', () => `echo x > /proc/1/root${outsideFile()}`],
  ['a hard link', () => `ln ${outsideFile()} hard && echo x > hard`],
  [
    'a mount',
    () => `mount -o remount,rw / ; mount --bind ${place.outside} . ; echo x > ${outsideFile()}`,
  ],
  [
    'a namespace of its own',
    () =>
      `unshare -rm sh -c 'mount -o remount,rw,bind ${path.dirname(place.outside)}; echo x > ${outsideFile()}'`,
  ],
  ['a device', () => `mknod disk b 254 0 && dd if=/dev/null of=disk; echo x > ${outsideFile()}`],
  [
    'a program with other rights',
    () =>
      `cp /bin/sh s; chmod 6755 s; ./s -p -c 'echo x > ${outsideFile()}'; su -c 'echo x > ${outsideFile()}'`,
  ],
  ['moving', () => `mv ${outsideFile()} . ; rm -rf ${place.outside}`],
])('nothing outside is written by %s', async (_, command) => {
  await place.run(command());

  expect(await readFile(outsideFile(), 'utf8')).toBe('as it was');
});

sandboxTest(
  'a link out of the workspace that is there already leads to what can only be read',
  async () => {
    await symlink(place.outside, path.join(place.workspace, 'link'));

    const output = await place.run('cat link/file; echo x > link/file');

    expect(output).toContain('as it was');
    expect(output).toContain('Read-only file system');
    expect(await readFile(outsideFile(), 'utf8')).toBe('as it was');
  },
);

sandboxTest.each([
  ['keys of the user', () => `${place.places.userHome}/.ssh/id`],
  ['passwords of the user', () => `${place.places.userHome}/.netrc`],
  ['the database of everloop', () => `${place.places.home}/server.db`],
])('%s are not read', async (_, file) => {
  const output = await place.run(
    `cat ${file()}; cat /proc/self/root${file()}; cat /proc/1/root${file()}`,
  );

  expect(output).not.toMatch(/private key|password|database/);
});

sandboxTest('settings open what is closed, and close more', async () => {
  await mkdir(path.join(place.workspace, 'private', 'open'), { recursive: true });
  await writeFile(path.join(place.workspace, 'private', 'secret'), 'hidden');
  await writeFile(path.join(place.workspace, 'private', 'open', 'file'), 'shown');
  const filesystem = {
    allowRead: ['~/.ssh', './work/private/open'].map((name) =>
      name.replace('~', place.places.userHome).replace('./work', place.workspace),
    ),
    denyRead: [path.join(place.workspace, 'private')],
  };

  const output = await place.run(
    `cat ${place.places.userHome}/.ssh/id; cat private/secret; cat private/open/file`,
    { filesystem },
  );

  expect(output).toContain('private key');
  expect(output).not.toContain('hidden');
  expect(output).toContain('shown');
});

sandboxTest('what settings deny is not written, and what they allow is', async () => {
  await mkdir(path.join(place.workspace, 'fixed'));
  const filesystem = {
    allowWrite: [place.outside],
    denyWrite: [path.join(place.workspace, 'fixed')],
  };

  const output = await place.run('echo x > fixed/file; echo written > ../outside/file', {
    filesystem,
  });

  expect(output).toContain('Read-only file system');
  expect(await readFile(outsideFile(), 'utf8')).toBe('written\n');
});

sandboxTest('keys in the environment stay outside', async () => {
  const output = await place.run('env; cat /proc/*/environ | tr "\\0" "\\n"');

  expect(output).toContain('KEPT=kept');
  expect(output).not.toContain('secret');
});

sandboxTest('processes outside are neither seen nor signalled nor traced', async () => {
  const output = await place.run(
    `kill -9 ${process.pid}; ls -d /proc/[0-9]* | wc -l; cat /proc/${process.pid}/environ; which gdb strace >/dev/null && strace -p ${process.pid}; true`,
  );

  expect(output).toContain('No such process');
  expect(output).not.toContain('NODE_ENV');
});

const PROTECTED = [
  '.git/hooks/pre-commit',
  '.git/config',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.mcp.json',
  '.bashrc',
  '.profile',
  '.vscode/tasks.json',
  'everloop.config.ts',
];

async function writeProtected(): Promise<void> {
  for (const name of PROTECTED) {
    const file = path.join(place.workspace, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, 'as it was');
  }
}

sandboxTest.each(PROTECTED)('%s is not changed, replaced or moved away', async (name) => {
  await writeProtected();
  const [top = ''] = name.split('/');

  await place.run(
    `echo x > ${name}; rm -rf ${name} ${top}; mv ${top} moved; mv ${name} elsewhere; ` +
      `mkdir -p $(dirname ${name}); ln -sf /dev/null ${name}; cp /etc/hostname ${name}`,
  );

  expect(await readFile(path.join(place.workspace, name), 'utf8')).toBe('as it was');
});

sandboxTest.each([
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.mcp.json',
  '.git/hooks/pre-commit',
])('%s does not come into being, and nothing is left in its place', async (name) => {
  await mkdir(path.join(place.workspace, '.git'));
  await writeFile(path.join(place.workspace, '.git', 'config'), '');
  const [top = ''] = name.split('/');

  await place.run(
    `mkdir -p $(dirname ${name}); echo x > ${name}; rmdir ${top}; mv ${top} moved; mkdir -p $(dirname ${name}); echo x > ${name}`,
  );

  expect((await readdir(place.workspace)).sort()).toEqual(['.git']);
  expect(await readdir(path.join(place.workspace, '.git'))).toEqual(['config']);
});

sandboxTest('a repository can be worked with', async () => {
  const setUp = 'git init -q . && git config user.email a@b && git config user.name a';
  await place.run(setUp);

  const output = await place.run(
    'echo a > file && git add file && git commit -qm first && git status --short && git log --oneline | wc -l',
  );

  expect(output).toBe('1');
});

sandboxTest('profiles are not made in a home folder that is the workspace', async () => {
  const { userHome } = place.places;
  const state = await place.state();
  if (state.type !== 'on') throw new Error('no sandbox');
  const places = { ...state.sandbox.places, roots: [userHome] };
  const sandbox = { ...state, sandbox: { ...state.sandbox, places } };

  const output = await place.run(
    'echo x > ~/.bashrc; echo x > ~/.zshenv; cat ~/.ssh/id; echo y > ~/note; ls -A ~',
    {},
    { sandbox, roots: [userHome], workingDirectory: userHome },
  );

  expect(output).not.toContain('private key');
  expect((await readdir(userHome)).sort()).toEqual(['.netrc', '.ssh', 'note', 'outside', 'work']);
});

sandboxTest('no Unix socket is reached, by path or by abstract name', async () => {
  const file = path.join(place.workspace, 'socket');
  const abstract = `\0everloop-sandbox-test-${process.pid}`;
  const servers = [file, abstract].map((name) =>
    createServer((socket) => socket.end('answered')).listen(name),
  );
  const client = `
    for (const path of [process.argv[1], '\\0everloop-sandbox-test-${process.pid}'])
      require('net').connect({ path }).on('data', (text) => console.log(String(text))).on('error', ({ code }) => console.log(code));`;

  const closed = await place.run(
    `node -e "${client.replaceAll('\n', ' ').replaceAll('\\0', '\\\\0')}" ${file}`,
  );
  const opened = await place.run(
    `node -e "${client.replaceAll('\n', ' ').replaceAll('\\0', '\\\\0')}" ${file}`,
    {
      network: { allowAllUnixSockets: true },
    },
  );

  for (const server of servers) server.close();
  expect(closed).not.toContain('answered');
  expect(closed).toContain('EPERM');
  // The abstract name belongs to the network outside.
  expect(opened.match(/answered/g)).toHaveLength(1);
});

sandboxTest('there is no network, no name is resolved, and its own loopback works', async () => {
  const server = createServer((socket) => socket.end('answered')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };

  const output = await place.run(
    `(exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3); getent hosts host.invalid || echo unresolved; ` +
      `echo routes: $(tail -n +2 /proc/net/route | wc -l); node -e "require('net').createServer(s=>s.end('own')).listen(4000,()=>require('net').connect(4000,'127.0.0.1').on('data',d=>{console.log(String(d));process.exit()}))"`,
  );

  server.close();
  expect(output).not.toContain('answered');
  expect(output).toContain('Connection refused');
  expect(output).toContain('unresolved');
  expect(output).toContain('routes: 0');
  expect(output).toContain('own');
});

sandboxTest('no right is held and none is gained', async () => {
  const output = await place.run(
    'grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status; unshare -U true; echo $?; ls /proc/self/fd | tr "\\n" " "',
  );

  expect(output).toMatch(/CapEff:\s+0+$/m);
  expect(output).toMatch(/CapBnd:\s+0+$/m);
  expect(output).toMatch(/NoNewPrivs:\s+1$/m);
  expect(output).not.toMatch(/^0$/m);
});

sandboxTest('a command that the sandbox stopped is told so, with what would help', async () => {
  const asking = await place.run(`echo x > ${outsideFile()}`);
  const strict = await place.run(
    'curl -sS https://host.invalid || cat /proc/1/root/none; getent hosts a.b; cat $HOME/.ssh/id',
    {
      allowUnsandboxedCommands: false,
    },
  );
  const own = await place.run('exit 3');

  expect(asking).toContain(
    `[It ran in a sandbox: it writes in ${place.workspace} and $TMPDIR only, and has no network.`,
  );
  expect(asking).toContain('dangerouslyDisableSandbox');
  expect(strict).toContain('tell the user.]');
  expect(own).toBe('Exit code 3');
});
