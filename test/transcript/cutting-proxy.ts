import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Random } from '../../src/simulation/random';

/** Stands between a store and its server, and cuts connections. */
export interface CuttingProxy {
  /** Of the server, through here. */
  readonly url: string;
  /** Ends every connection that there is. */
  cutAll(): void;
  /** Cuts a connection at one in so many pieces of what passes, before or after it has passed. Unlike time, this cuts
   *  as much on a slow machine. Returns how to stop, which tells how often it has cut. */
  cutByChance(random: Random, oneIn: number): () => number;
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
  let chance: (() => 'before' | 'after' | 'not') | null = null;
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
      pass(far, bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (!loses) {
        pass(near, bytes);
        return;
      }
      cut();
      lost += 1;
    });
    const pass = (to: Socket, bytes: Buffer): void => {
      const when = chance?.() ?? 'not';
      if (when !== 'before') to.write(bytes);
      if (when !== 'not') cut();
    };
    for (const socket of [near, far] as Socket[]) socket.on('error', cut).on('close', cut);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(server);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    cutAll: () => pairs.forEach((cut) => cut()),
    cutByChance: (random, oneIn) => {
      let cuts = 0;
      chance = () => {
        if (!random.chance(1 / oneIn)) return 'not';
        cuts += 1;
        return random.pick(['before', 'after']);
      };
      return () => {
        chance = null;
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
