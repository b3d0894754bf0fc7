import type { Reply } from '../../src/scripted-model/reply';
import { ask, withModel } from './with-model';

const say = (text: string): Reply => ({ content: [{ type: 'text', text }] });

describe('consumption of a script', () => {
  test('a request too many → 400, and the script is not consumed as written', async () => {
    await withModel({ script: [say('only')] }, async (model, client) => {
      await client.messages.create(ask());

      const error: unknown = await client.messages.create(ask()).catch((e: unknown) => e);

      expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' });
      expect(String(error)).toContain('request 1 has no reply; the script holds 1');
      expect(() => model.assertConsumed()).toThrow('request 1 has no reply');
    });
  });

  test('replies never asked for are listed by place and content', async () => {
    const script: Reply[] = [
      say('used'),
      say('left'),
      { error: { type: 'api_error' } },
      { content: [{ type: 'tool_use', name: 'Bash' }] },
    ];
    await withModel({ script }, async (model, client) => {
      await client.messages.create(ask());

      expect(model.status().unplayed).toEqual([
        'reply 1 (text "left")',
        'reply 2 (error api_error)',
        'reply 3 (tool_use Bash)',
      ]);
      expect(() => model.assertConsumed()).toThrow('never asked for: reply 3 (tool_use Bash)');
    });
  });

  test('a script function that throws → 400 with its message', async () => {
    const script = (): Reply => {
      throw new Error('no idea');
    };
    await withModel({ script }, async (model, client) => {
      await expect(client.messages.create(ask())).rejects.toMatchObject({
        status: 400,
        apiMessage: 'no idea',
      });
      expect(() => model.assertConsumed()).toThrow('no idea');
    });
  });
});

describe("match: 'conversation'", () => {
  const match = 'conversation';

  test('a repeated request gets the same reply with the same tool ids, and is counted', async () => {
    const script: Reply[] = [{ content: [{ type: 'tool_use', name: 'Bash' }] }, say('done')];
    await withModel({ script, match }, async (model, client) => {
      const first = await client.messages.create(ask(0));
      const again = await client.messages.create(ask(0));
      const last = await client.messages.create(ask(1));

      expect(again.content).toEqual(first.content);
      expect(last.content).toMatchObject([{ text: 'done' }]);
      expect(model.repeats).toBe(1);
      model.assertConsumed();
    });
  });

  test('an error is played once and the retried request gets the reply after it', async () => {
    const script: Reply[] = [
      { error: { type: 'overloaded_error' } },
      { interruptions: [{ type: 'cut', afterBlocks: 0 }] },
      say('at last'),
      say('next'),
    ];
    await withModel({ script, match }, async (model, client) => {
      await expect(client.messages.create(ask(0))).rejects.toMatchObject({ status: 529 });
      await expect(client.messages.create(ask(0))).rejects.toThrow();
      const third = await client.messages.create(ask(0));
      const fourth = await client.messages.create(ask(0));
      const next = await client.messages.create(ask(1));

      expect([third, fourth, next].map(({ content }) => content)).toMatchObject([
        [{ text: 'at last' }],
        [{ text: 'at last' }],
        [{ text: 'next' }],
      ]);
      expect(model.repeats).toBe(1);
      model.assertConsumed();
    });
  });

  test('isRetried moves a reply to the place the script wants', async () => {
    const script: Reply[] = [{ ...say('dropped'), isRetried: true }, say('kept')];
    await withModel({ script, match }, async (_, client) => {
      await client.messages.create(ask(0));
      const retried = await client.messages.create(ask(0));

      expect(retried.content).toMatchObject([{ text: 'kept' }]);
    });
  });

  test('a conversation longer than the script → 400', async () => {
    await withModel({ script: [say('only')], match }, async (_, client) => {
      await expect(client.messages.create(ask(1))).rejects.toThrow(
        'request 0 with 1 assistant messages has no reply',
      );
    });
  });

  test('a script function is given the number of assistant messages', async () => {
    const script = (_: unknown, index: number): Reply => say(`turn ${index}`);
    await withModel({ script, match }, async (_, client) => {
      const message = await client.messages.create(ask(3));

      expect(message.content).toMatchObject([{ text: 'turn 3' }]);
    });
  });
});
