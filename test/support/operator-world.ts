import { NativeConnection } from '@temporalio/worker';
import { asOperator, type Operator } from '../../src/cli/operator/operator';
import { OutputStream } from '../../src/cli/output/output-stream';
import { createSessionHost, type SessionHost } from '../../src/cli/session-host';
import { parseCommand } from '../../src/cli/parse-command';
import type { Command } from '../../src/cli/command';
import { cliSearch } from './temporal';
import type { Durable } from './durable';
import { WrittenText } from './fake-surroundings';

type OfType<Type extends Command['type']> = Extract<Command, { readonly type: Type }>;

/** What a command for operators came to. */
interface Operated {
  readonly exitCode: number;
  readonly text: string;
}

/** What the command line would have, with the store and the server of a durable test. */
export function hostOf({ config, store, client, agent, address }: Durable): SessionHost {
  return {
    ...createSessionHost({
      config,
      settings: { cli: null },
      version: '0.0.0',
      cli: cliSearch(),
      environment: {},
    }),
    store,
    async connect() {
      const connection = await NativeConnection.connect({ address });
      return { connection, client, agent, close: () => connection.close() };
    },
  };
}

/** Runs a command for operators as the command line would, on the sessions of a durable test. */
export async function operate<Type extends Command['type']>(
  durable: Durable,
  command: OfType<Type>,
  act: (command: OfType<Type>, operator: Operator) => Promise<number>,
): Promise<Operated> {
  const written = new WrittenText();
  const host = hostOf(durable);
  const stdout = new OutputStream(written.stream);
  const exitCode = await asOperator(host, stdout, (operator) => act(command, operator));
  return { exitCode, text: written.text };
}

/** A command line of that type, parsed. */
export function parsedAs<Type extends Command['type']>(
  type: Type,
  ...args: readonly string[]
): OfType<Type> {
  const command = parseCommand(args, '1');
  if (command.type !== type) throw new Error(`It is '${command.type}', not '${type}'.`);
  return command as OfType<Type>;
}
