import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './repository';
import { isRun, type Snippet } from './snippet';
import { beginSession } from './snippet-session';
import type { Ended, SnippetWorld } from './snippet-world';

const NOTHING_TO_DO: Ended = { exitCode: 0, stdout: '', said: '' };

/** The folder in which the snippets of one page run, as for a reader who follows it. */
export class SnippetProject {
  readonly folder: string;
  /** Files to be compiled. Absolute. */
  readonly programs: readonly string[];

  constructor(
    private readonly world: SnippetWorld,
    path: string,
    snippets: readonly Snippet[],
  ) {
    this.folder = world.projectFor(path);
    for (const snippet of snippets) this.#write(snippet);
    this.programs = snippets
      .filter((snippet) => snippet.language === 'ts' && isFile(snippet))
      .map((snippet) => join(this.folder, fileOf(snippet)));
  }

  /** Does what the page says there; what is no command and no program lies in the folder already. */
  async perform(snippet: Snippet): Promise<Ended> {
    if (!isRun(snippet)) return NOTHING_TO_DO;
    switch (snippet.language) {
      case 'sh':
        return this.#run(snippet, snippet.text);
      case 'ts':
        return this.#run(snippet, `tsx ${fileOf(snippet)} ${snippet.remarks.argument}`);
      case 'js':
        return this.#run(snippet, `node ${toLoad(snippet)}${fileOf(snippet)}`);
      case 'text':
      case 'json':
      case 'jsonc':
      case 'mermaid':
        return NOTHING_TO_DO;
    }
  }

  /** Runs it with a session, a message, a database in the place of the words that stand for them. */
  async #run({ remarks }: Snippet, command: string): Promise<Ended> {
    const { session, as, folder, needs } = remarks;
    let placed = folder === undefined ? command : command.replaceAll(folder, this.folder);
    if (needs === 'postgres') {
      const url = await this.world.postgresUrl();
      placed = placed.replaceAll(/postgres:\/\/[^\s'"]+/g, url);
    }
    if (needs === 'server') await this.world.run(this.folder, 'everloop server start');
    if (session !== undefined) {
      const { sessionId, messageId } = await beginSession(this.world, this.folder, session);
      placed = placed.replaceAll(as, sessionId).replaceAll('MESSAGE', messageId);
    }
    return this.world.run(this.folder, placed);
  }

  #write(snippet: Snippet): void {
    if (!isFile(snippet)) return;
    const file = join(this.folder, fileOf(snippet));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${snippet.text}\n`);
  }
}

const isFile = ({ language, remarks }: Snippet): boolean =>
  remarks['not-run'] !== 'fragment' &&
  (language === 'ts' || language === 'js' || remarks.file !== undefined);

/** A script is no program: it is loaded as the command would. */
function toLoad({ remarks }: Snippet): string {
  if (remarks.reader !== 'crash-test') return '';
  const reader = join(ROOT, 'dist', 'crash-test', 'crash-script.js');
  return `-e 'require("${reader}").loadCrashScript(process.argv[1])' `;
}

/** Under which name a reader would keep it: the page says it, else its first line does. */
function fileOf({ text, remarks, language, line }: Snippet): string {
  const [, named] = /^\/\/ (\S+\.\w+)\n/.exec(text) ?? [];
  return remarks.file ?? named ?? `snippet-${line}.${language}`;
}
