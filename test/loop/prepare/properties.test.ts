import fc from 'fast-check';
import { stage } from '../../../src/loop/prepare/collapse-staging';
import { dropOldestRounds, splitForReactive } from '../../../src/loop/prepare/compact-groups';
import {
  drain,
  EMPTY_COLLAPSE_LOG,
  project,
  type CollapseLog,
} from '../../../src/loop/prepare/context-collapse';
import { toContextLimits } from '../../../src/loop/prepare/context-limits';
import type { ContextMessage } from '../../../src/loop/prepare/context-message';
import { microcompactBySize } from '../../../src/loop/prepare/microcompact';
import {
  DEFAULT_PREPARE_GATES,
  prepare,
  type Prepared,
  type PrepareInput,
} from '../../../src/loop/prepare/prepare';
import { snip, type Snip } from '../../../src/loop/prepare/snip';
import { applyToolResultBudget } from '../../../src/loop/prepare/tool-result-budget';
import {
  listToolResults,
  replaceResults,
  textsOf,
  type Replacement,
} from '../../../src/loop/prepare/tool-results';
import { contents, counted, NOTHING_DECIDED, splitPairs, uuids } from './builders';
import { conversations } from './random-conversation';

const placeFor = (id: string) => `/results/${id}`;
const LIMIT_CHARS = 60_000;

const recorded = (messages: readonly ContextMessage[], fresh: readonly Replacement[]) => {
  const known = new Set(listToolResults(messages).map(({ toolUseId }) => toolUseId));
  return { replacements: textsOf(fresh), seen: (id: string) => known.has(id) };
};

const budget = (messages: readonly ContextMessage[], decisions = NOTHING_DECIDED) =>
  applyToolResultBudget({ messages, decisions, limitChars: LIMIT_CHARS, placeFor });

/** A conversation and where it was cut off when a request was sent. */
const cutConversations = conversations(3).chain((messages) =>
  fc.tuple(fc.constant(messages), fc.integer({ min: 0, max: messages.length })),
);

describe('pairs', () => {
  test('a snip never splits one, and keeps the first user message and the recent tail', () => {
    fc.assert(
      fc.property(conversations(15, 40), fc.nat(200_000), (messages, tokensToFree) => {
        const snipped = snip({ messages, tokensToFree, leastTokens: 1, kept: new Set() });
        if (snipped === null) return;

        expect(splitPairs(snipped.messages)).toEqual([]);
        expect(snipped.messages[0]).toBe(messages[0]);
        expect(snipped.messages.at(-1)).toBe(messages.at(-1));
      }),
    );
  });

  test('a collapse never splits one', () => {
    fc.assert(
      fc.property(conversations(15, 40), (messages) => {
        const { log } = drain(messages, stage(messages, EMPTY_COLLAPSE_LOG));

        expect(splitPairs(project(messages, log))).toEqual([]);
      }),
    );
  });

  test('neither what a summary is asked of nor what is kept splits one', () => {
    fc.assert(
      fc.property(conversations(), fc.option(fc.nat(100_000)), (messages, tokensOver) => {
        const split = splitForReactive(messages);
        const dropped = dropOldestRounds(messages, tokensOver);

        expect(splitPairs(dropped ?? [])).toEqual([]);
        expect(splitPairs(split?.kept ?? [])).toEqual([]);
        expect(dropped?.[0]?.role ?? 'user').toBe('user');
      }),
    );
  });
});

describe('the budget of results', () => {
  test('what comes out of it, decided, comes out of it again as it is', () => {
    fc.assert(
      fc.property(conversations(), (messages) => {
        const once = budget(messages);

        const twice = budget(once.messages, recorded(messages, once.fresh));

        expect(twice.messages).toBe(once.messages);
        expect(twice.fresh).toEqual([]);
        expect(budget(once.messages).messages).toBe(once.messages);
      }),
    );
  });

  test('what was sent stays as it was sent, whatever is added behind it', () => {
    fc.assert(
      fc.property(cutConversations, ([messages, sent]) => {
        const before = budget(messages.slice(0, sent));

        const after = budget(messages, recorded(messages.slice(0, sent), before.fresh));

        expect(after.messages.slice(0, sent)).toEqual(before.messages);
      }),
    );
  });
});

test('by size, what was sent changes once: when five newer results have come', () => {
  fc.assert(
    fc.property(cutConversations, ([messages, sent]) => {
      const before = microcompactBySize(messages.slice(0, sent), placeFor);
      const again = replaceResults(messages, textsOf(before.fresh));

      const after = microcompactBySize(again, placeFor);

      const cut = new Set(after.fresh.map(({ toolUseId }) => toolUseId));
      const was = contents(before.messages);
      const is = contents(after.messages);
      const changed = Object.keys(was).filter((id) => was[id] !== is[id]);
      expect(changed.every((id) => cut.has(id))).toBe(true);
      expect(before.fresh.some(({ toolUseId }) => cut.has(toolUseId))).toBe(false);
    }),
  );
});

/** A host that records what preparation decides, as it has to. */
class Host {
  readonly #replacements = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #snips: Snip[] = [];
  #collapseLog: CollapseLog = EMPTY_COLLAPSE_LOG;

  constructor(readonly optional: boolean) {}

  input(messages: readonly ContextMessage[]): PrepareInput {
    return {
      messages,
      gates: { ...DEFAULT_PREPARE_GATES, snip: this.optional, contextCollapse: this.optional },
      limits: toContextLimits({
        contextWindow: 120_000,
        maxOutputTokens: 20_000,
        percentOverride: null,
        autoCompactWindow: null,
      }),
      decisions: {
        replacements: new Map(this.#replacements),
        seen: (id) => this.#seen.has(id),
      },
      snips: [...this.#snips],
      collapseLog: this.#collapseLog,
      nowMs: 0,
      placeFor,
      mayCompact: true,
      skipBlockingCheck: false,
      assembleSystem: () => undefined,
    };
  }

  record(messages: readonly ContextMessage[], prepared: Prepared): void {
    for (const { toolUseId } of listToolResults(messages)) this.#seen.add(toolUseId);
    for (const { toolUseId, text } of prepared.fresh) this.#replacements.set(toolUseId, text);
    if (prepared.snip !== null) this.#snips.push(prepared.snip);
    this.#collapseLog = prepared.collapseLog;
  }
}

/** The requests of a conversation: one before every reply. A reply counts the view it was asked with. */
function requestsOf(messages: readonly ContextMessage[], host: Host): readonly Prepared[] {
  const requests: Prepared[] = [];
  let so: ContextMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const previous = messages[index - 1];
    if (message.role === 'assistant' && previous?.role === 'user') {
      const input = host.input(so);
      const prepared = prepare(input);
      expect(prepare(input)).toEqual(prepared);
      host.record(so, prepared);
      requests.push(prepared);
    }
    const usage = message.role === 'assistant' ? counted(requests.at(-1)?.tokens ?? 0) : null;
    so = [...so, { ...message, usage }];
  }
  return requests;
}

describe('a whole conversation', () => {
  test('each request begins with the one before, but for what it says it replaced', () => {
    fc.assert(
      fc.property(conversations(), (messages) => {
        const requests = requestsOf(messages, new Host(false));

        for (const [index, { messages: sent }] of requests.entries()) {
          const next = requests[index + 1];
          const replaced = new Set(next?.fresh.map(({ toolUseId }) => toolUseId));
          const [was, is] = [contents(sent), contents(next?.messages ?? sent)];
          expect(uuids(next?.messages ?? sent).slice(0, sent.length)).toEqual(uuids(sent));
          for (const id of Object.keys(was)) if (!replaced.has(id)) expect(is[id]).toBe(was[id]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('with snip and collapse on as well, pairs stay and the view only changes when one is made', () => {
    fc.assert(
      fc.property(conversations(25, 60), (messages) => {
        const requests = requestsOf(messages, new Host(true));

        for (const [index, { messages: sent, collapseLog }] of requests.entries()) {
          const next = requests[index + 1];
          const isNew = next?.snip !== null || next.collapseLog.committed !== collapseLog.committed;
          if (!isNew) expect(uuids(next.messages).slice(0, sent.length)).toEqual(uuids(sent));
          expect(sent[0]).toEqual(messages[0]);
        }
      }),
      { numRuns: 50 },
    );
  });
});
