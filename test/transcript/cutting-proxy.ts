import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between a store and its server, and cuts connections. */
export interface CuttingProxy {
  /** Of the server, through here. */
  readonly url: string;
  /** Ends every connection that there is. */
  cutAll(): void;
  /** Cuts a connection here and there until it is told to stop. Returns how to tell it so. */
  cutAtRandom(everyMs: number): () => number;
  /** The next statement with this word in it reaches the server, and its answer is lost with the connection. */
  loseAnswerTo(word: string): void;
  /** How often that has happened. */
  lostAnswers(): number;
  end(): Promise<void>;
}

export async function createCuttingProxy(server: string): Promise<CuttingProxy> {
  const target = new URL(server);
  const pairs = new Set<() => void>();
  let word: string | null = null;
  let lost = 0;
  const proxy = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let loses = false;
    const cut = (): void => {
      near.destroy();
      far.destroy();
      pairs.delete(cut);
    };
    pairs.add(cut);
    near.on('data', (bytes: Buffer) => {
      if (word !== null && bytes.includes(word)) {
        loses = true;
        word = null;
      }
      far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (!loses) return void near.write(bytes);
      cut();
      lost += 1;
    });
    for (const socket of [near, far] as Socket[]) socket.on('error', cut).on('close', cut);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(server);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    cutAll: () => pairs.forEach((cut) => cut()),
    cutAtRandom: (everyMs) => {
      let cuts = 0;
      const timer = setInterval(() => {
        const cut = [...pairs][Math.floor(Math.random() * pairs.size)];
        if (cut === undefined) return;
        cut();
        cuts += 1;
      }, everyMs);
      return () => {
        clearInterval(timer);
        return cuts;
      };
    },
    loseAnswerTo: (next) => {
      word = next;
    },
    lostAnswers: () => lost,
    end: async () => {
      proxy.close();
      pairs.forEach((cut) => cut());
      await once(proxy, 'close');
    },
  };
}
