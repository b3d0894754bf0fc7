import { scriptedConversations } from '../crash-test/scripted-conversations';
import type { Reply } from '../scripted-model/reply';
import { startScriptedModel, type ScriptedModel } from '../scripted-model/scripted-model';
import { SHELL_HERE, SUMMARY, type Work } from './works';

/** The model that all sessions talk to. It knows a session by its folder, which every request names. */
export class ChaosModel {
  readonly #calls = new Map<string, number>();

  private constructor(private readonly model: ScriptedModel) {}

  static async start(works: readonly Work[], folderName: RegExp): Promise<ChaosModel> {
    const { match, script } = scriptedConversations({
      conversations: works.flatMap(({ script: { conversations } }) => conversations),
      summary: SUMMARY,
    });
    const started = await startScriptedModel({
      match,
      isStrict: true,
      keepBodies: false,
      async script(request, index) {
        const body = JSON.stringify(request.body);
        chaos.#count(folderName.exec(body)?.[0] ?? 'nobody');
        const reply = typeof script === 'function' ? await script(request, index) : script[index];
        if (reply === undefined) throw new Error('The script has no reply.');
        const [shell = SHELL_HERE] = /bash_[0-9a-f]{8}/.exec(body) ?? [];
        return JSON.parse(JSON.stringify(reply).replaceAll(SHELL_HERE, shell)) as Reply;
      },
    });
    const chaos = new ChaosModel(started);
    return chaos;
  }

  get url(): string {
    return this.model.url;
  }

  /** Requests that it refused, and why. */
  get failures(): readonly string[] {
    return this.model.status().failures;
  }

  /** Requests that came from the session in the folder of this name. */
  callsFrom(name: string): number {
    return this.#calls.get(name) ?? 0;
  }

  close(): Promise<void> {
    return this.model.close();
  }

  #count(name: string): void {
    this.#calls.set(name, this.callsFrom(name) + 1);
  }
}
