import type { Of, ThisProcess } from './this-process';
import { Conversations } from './conversations';

/** Commands that look at sessions, or change something about them, from outside. */
export class Operations {
  readonly #here: ThisProcess;

  constructor(here: ThisProcess) {
    this.#here = here;
  }

  async steer(command: Of<'steer'>): Promise<number> {
    const { steer } = await import('../operator/steer.js');
    return this.#here.operate((operator) => steer(command, operator));
  }

  async pause(command: Of<'pause' | 'resume'>): Promise<number> {
    const { pause } = await import('../operator/pause.js');
    return this.#here.operate((operator) => pause(command, operator));
  }

  async adjust(command: Of<'adjust'>): Promise<number> {
    const { adjust } = await import('../operator/adjust.js');
    return this.#here.operate((operator) => adjust(command, operator));
  }

  async workspace(command: Of<'workspace'>): Promise<number> {
    if (command.action === 'ls') {
      const { listWorkspaces } = await import('../operator/list-workspaces.js');
      return this.#here.operate((operator) => listWorkspaces(command, operator));
    }
    if (command.action !== 'move') {
      const { drainHost } = await import('../operator/drain-host.js');
      return this.#here.operate((operator) => drainHost(command, operator));
    }
    const { moveSessions } = await import('../operator/move-sessions.js');
    return this.#here.operate((operator) => moveSessions(command, operator));
  }

  async approval(command: Of<'approval'>): Promise<number> {
    const { decideApproval } = await import('../operator/approvals.js');
    const { openServed } = await import('../operator/open-served.js');
    const { asOperator } = await import('../operator/operator.js');
    const host = await this.#here.host();
    return asOperator(host, this.#here.output.stdout, (operator) =>
      decideApproval(command, { ...operator, openServed: (id) => openServed(host, id) }),
    );
  }

  async list(command: Of<'list'>): Promise<number> {
    const { list } = await import('../list.js');
    const { listSessions } = await import('../session-states.js');
    const host = await this.#here.host();
    const { query } = command;
    return list(command, {
      stdout: this.#here.output.stdout,
      layout: command.json ? null : await this.#here.layout(),
      sessions: () => listSessions(host, query),
    });
  }

  async show(command: Of<'show_session'>): Promise<number> {
    if (command.page !== undefined) {
      const { showPage } = await import('../operator/show-page.js');
      const host = await this.#here.host();
      const folder = process.cwd();
      return showPage(command.session, command.page, { ...this.#here.output, host, folder });
    }
    const { show } = await import('../operator/show.js');
    const layout = command.json ? null : await this.#here.layout();
    return this.#here.operate((operator) => show(command, operator, layout));
  }

  async logs(command: Of<'logs'>): Promise<number> {
    const { logs } = await import('../operator/logs.js');
    const { findStore } = await import('../operator/find-store.js');
    const host = await this.#here.host();
    return logs(command, {
      ...this.#here.surroundings(),
      session: (selector) => findStore(host, selector),
    });
  }

  async replay(command: Of<'replay'>): Promise<number> {
    const { replay } = await import('../operator/replay.js');
    const { selectStored } = await import('../operator/select-sessions.js');
    const { createAnthropic } = await import('../../activities/call-model/anthropic-client.js');
    const { find } = await import('../open-session.js');
    const host = await this.#here.host();
    const { sessionId } = await selectStored(command.session, host.store);
    // No Workflow retries here.
    const { messages } = createAnthropic(this.#here.config).withOptions({ maxRetries: 4 });
    return replay(command, {
      session: await find(host, sessionId),
      stdout: this.#here.output.stdout,
      callApi: (request, options) => messages.create(request, options),
    });
  }

  async rewind(command: Of<'rewind'>): Promise<number> {
    const { runRewind } = await import('../operator/rewind-session.js');
    const terminal = process.stdin.isTTY ? process.stdin : null;
    return runRewind(command, {
      host: await this.#here.host(),
      stdout: this.#here.output.stdout,
      terminal,
    });
  }

  async fork(command: Of<'fork'>): Promise<number> {
    const { forkSession } = await import('../operator/fork-session.js');
    return forkSession(command, {
      ...this.#here.output,
      host: await this.#here.host(),
      ask: (print) => new Conversations(this.#here).print(print),
    });
  }

  async delete(command: Of<'delete'>): Promise<number> {
    const { deleteSessions } = await import('../operator/delete.js');
    const { confirm } = await import('../operator/confirm.js');
    const terminal = process.stdin.isTTY ? process.stdin : null;
    return this.#here.operate((operator) =>
      deleteSessions(command, operator, terminal && (() => confirm(terminal))),
    );
  }

  async collect(command: Of<'collect'>): Promise<number> {
    const { collect } = await import('../operator/collect.js');
    const { confirm } = await import('../operator/confirm.js');
    const terminal = process.stdin.isTTY ? process.stdin : null;
    const of = { nowMs: Date.now(), confirm: terminal && (() => confirm(terminal)) };
    return this.#here.operate((operator) => collect(command, operator, of));
  }

  async schedule(command: Of<'schedule'>): Promise<number> {
    const { schedule } = await import('../operator/schedule.js');
    const { ScheduledPrompts } = await import('../../schedule/scheduled-prompts.js');
    const { ensureBackgroundWorker } = await import('../background.js');
    const host = await this.#here.host();
    const connected = await host.connect();
    try {
      return await schedule(command, {
        ...this.#here.output,
        schedules: connected.client.schedule,
        prompts: new ScheduledPrompts(this.#here.config.home),
        place: host.store.place,
        taskQueue: host.homeQueue,
        cwd: process.cwd(),
        ensureWorker: () => ensureBackgroundWorker(host),
      });
    } finally {
      await connected.close();
    }
  }
}
