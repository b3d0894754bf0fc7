import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { constants } from 'node:os';
import { listensOn, type LaunchOrder } from './network-order';
import { createNetworkProxy } from './network-proxy';

/** A process of its own beside one command, so that it outlives the Worker with it. Arguments: the order's file, then
 *  the command. Before the command starts, a program inside opens the proxy's ports on the sandbox's own loopback
 *  and hands them out to us: no way leads out of the sandbox but those connections. */

/** Runs inside: listens at every port that it is given, hands the sockets out, and goes. */
const GIVE_LISTENERS = `
const net = require('node:net');
const ports = process.argv.slice(1).map(Number);
const next = () => {
  const port = ports.shift();
  if (port === undefined) return process.disconnect();
  const server = net.createServer();
  server.listen(port, '127.0.0.1', () => process.send({ port }, server, () => { server.close(); next(); }));
};
next();
`;

/** $0 is Node, $1 the program above, $2 the ports; what follows is the command. Descriptor 3 leads to us. */
const INSIDE = `
"$0" -e "$1" -- $2 || exit 126
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE
shift 2
exec "$@" 3<&-
`;

function launch(order: LaunchOrder, command: readonly string[]): ChildProcess {
  const { program, argsFile, filterFile, network } = order;
  const ports = listensOn(network);
  const inside = ['/bin/sh', '-c', INSIDE, process.execPath, GIVE_LISTENERS];
  const portWords = ports.map(({ port }) => String(port)).join(' ');
  const filter = filterFile === null ? [] : [openSync(filterFile, 'r')];
  const child = spawn(program, ['--args', '4', '--', ...inside, portWords, ...command], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc', openSync(argsFile, 'r'), ...filter],
  });
  const proxy = createNetworkProxy(network);
  const waiting = new Set(ports.map(({ port }) => port));
  child.on('message', (message: { readonly port: number }, handle) => {
    const listens = ports.find(({ port }) => port === message.port);
    if (listens === undefined || !waiting.delete(listens.port)) return;
    const { forwardsTo } = listens;
    (handle as Server).on('connection', (socket: Socket) => {
      if (forwardsTo === null) proxy.emit('connection', socket);
      else forward(socket, forwardsTo);
    });
  });
  return child;
}

/** To a proxy of the user's. */
function forward(socket: Socket, port: number): void {
  const upstream = connect({ host: '127.0.0.1', port });
  for (const [from, to] of [
    [socket, upstream],
    [upstream, socket],
  ] as const) {
    from.on('error', () => to.destroy());
    from.once('close', () => to.destroy());
    from.pipe(to);
  }
}

const [orderFile = '', ...command] = process.argv.slice(2);
const order = JSON.parse(readFileSync(orderFile, 'utf8')) as LaunchOrder;
const child = launch(order, command);
child.once('error', (error) => {
  process.stderr.write(`${order.program} cannot be started: ${error.message}\n`);
  process.exit(126);
});
// Connections that are still open must not keep us.
child.once('exit', (code, signal) =>
  process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]),
);
