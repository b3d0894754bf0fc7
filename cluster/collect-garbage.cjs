// Loaded into Workers whose memory is measured: on SIGUSR2 every thread collects its garbage.
const { BroadcastChannel, isMainThread } = require('node:worker_threads');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const channel = new BroadcastChannel('everloop-collect-garbage');
channel.onmessage = () => collect();
channel.unref();
if (isMainThread) {
  process.on('SIGUSR2', () => {
    channel.postMessage(null);
    collect();
  });
}
