import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { Reply } from '../../src/scripted-model/reply';
import { ask, withModel } from './with-model';

const SAY: Reply = { content: [{ type: 'text', text: 'x'.repeat(400) }] };

const mark = { cache_control: { type: 'ephemeral' as const } };
const words = (word: string) => word.repeat(1_000);

/** One cached system prompt; the last of the questions bears a mark, as agents send it. */
function conversation(...questions: string[]): MessageCreateParamsNonStreaming {
  return {
    model: 'any',
    max_tokens: 100,
    messages: questions.map((question, index) => ({
      role: 'user',
      content: [{ type: 'text', text: question, ...(index === questions.length - 1 ? mark : {}) }],
    })),
    system: [{ type: 'text', text: words('system'), ...mark }],
  };
}

describe('usage', () => {
  test('counts four bytes a token, of the request body and of the content', async () => {
    await withModel({ script: [SAY] }, async (model, client) => {
      const { usage, content } = await client.messages.create(ask(50));

      expect(usage).toEqual({
        input_tokens: Math.ceil((model.requests[0]?.rawBody.length ?? 0) / 4),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: Math.ceil(JSON.stringify(content).length / 4),
      });
      expect(model.requests[0]?.usage).toEqual(usage);
    });
  });

  test('a stream reports input at its start and output at its end', async () => {
    await withModel({ script: [SAY] }, async (_, client) => {
      const outputs: number[] = [];
      const stream = await client.messages.create({ ...ask(), stream: true });
      for await (const event of stream) {
        if (event.type === 'message_start') outputs.push(event.message.usage.output_tokens);
        if (event.type === 'message_delta') outputs.push(event.usage.output_tokens);
      }

      expect(outputs).toEqual([1, Math.ceil(JSON.stringify(SAY.content).length / 4)]);
    });
  });

  test('usage in the reply replaces the counts it names', async () => {
    await withModel(
      { script: [{ ...SAY, usage: { input_tokens: 167_000 } }] },
      async (_, client) => {
        const { usage } = await client.messages.create(ask());

        expect(usage.input_tokens).toBe(167_000);
        expect(usage.output_tokens).toBeGreaterThan(100);
      },
    );
  });
});

describe('usage with cache marks', () => {
  test('a conversation that grows reads what the request before wrote', async () => {
    await withModel({ script: [SAY, SAY, SAY] }, async (model, client) => {
      const [one, two] = [words('one'), words('two')];
      const first = (await client.messages.create(conversation(one))).usage;
      const second = (await client.messages.create(conversation(one, two))).usage;
      const same = (await client.messages.create(conversation(one, two))).usage;

      // 6,000 bytes of system prompt and 3,000 of question, and some for their frames.
      expect(first.cache_read_input_tokens).toBe(0);
      expect(first.cache_creation_input_tokens).toBeGreaterThan(2_250);
      expect(first.input_tokens).toBeLessThan(60);
      expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
      expect(second.cache_creation_input_tokens).toBeGreaterThan(750);
      expect(second.cache_creation_input_tokens).toBeLessThan(800);
      expect(same.cache_creation_input_tokens).toBe(0);
      for (const { rawBody, usage } of model.requests)
        expect(
          (usage?.input_tokens ?? 0) +
            (usage?.cache_read_input_tokens ?? 0) +
            (usage?.cache_creation_input_tokens ?? 0),
        ).toBe(Math.ceil(rawBody.length / 4));
    });
  });

  test('a changed message leaves the system prompt to be read, another model nothing', async () => {
    await withModel({ script: [SAY, SAY, SAY] }, async (_, client) => {
      await client.messages.create(conversation(words('one'), words('two')));
      const changed = await client.messages.create(conversation(words('eno'), words('two')));
      const other = await client.messages.create({ ...conversation(words('one')), model: 'other' });

      expect(changed.usage.cache_read_input_tokens).toBeGreaterThan(1_500);
      expect(changed.usage.cache_read_input_tokens).toBeLessThan(1_550);
      expect(other.usage.cache_read_input_tokens).toBe(0);
    });
  });

  test('two conversations that take turns keep their caches', async () => {
    await withModel({ script: [SAY, SAY, SAY] }, async (_, client) => {
      const { usage } = await client.messages.create(conversation(words('one')));
      await client.messages.create(conversation(words('other')));
      const next = await client.messages.create(conversation(words('one'), 'more'));

      expect(next.usage.cache_read_input_tokens).toBe(usage.cache_creation_input_tokens);
    });
  });

  test('a request without marks reads nothing', async () => {
    await withModel({ script: [SAY, SAY] }, async (_, client) => {
      await client.messages.create(conversation(words('one')));
      const { usage } = await client.messages.create(ask());

      expect(usage).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 });
    });
  });

  test('marks inside one another count at the ends of their blocks', async () => {
    const nested = (): MessageCreateParamsNonStreaming => ({
      ...conversation(),
      messages: [
        {
          role: 'user',
          content: [
            {
              ...mark,
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [{ type: 'text', text: words('result'), ...mark }],
            },
          ],
        },
      ],
    });
    await withModel({ script: [SAY, SAY] }, async (_, client) => {
      const first = await client.messages.create(nested());
      const second = await client.messages.create(nested());

      expect(second.usage.cache_read_input_tokens).toBe(first.usage.cache_creation_input_tokens);
      expect(second.usage.cache_read_input_tokens).toBeGreaterThan(3_000);
    });
  });
});
