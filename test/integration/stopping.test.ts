// Needs: a Temporal server (started by the run).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDurable, type Durable } from '../support/durable';
import { calls, fileIn, heldCommand, says, text } from '../support/replies';

/** The first block comes whole, then the model waits for ever. */
const cutOffReply = { content: [text('Half'), { ...text(' never'), hold: 'mid-stream' }] };
const untilMidStream = ({ model }: Durable): Promise<void> => model.waitUntilHeld('mid-stream');

test('an interrupt in mid-stream keeps what came, and the next message works', () =>
  withDurable({ script: [cutOffReply, says('Fine.')] }, async (durable) => {
    const id = await durable.say('Talk.');
    await untilMidStream(durable);
    await durable.agent.interrupt(durable.sessionId, 'user');

    expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_streaming' });
    expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
    expect(JSON.stringify(durable.requestMessages[1])).toMatch(
      /Talk\..*Half.*\[Request interrupted by user\].*Next\./,
    );
    expect(durable.model.requests[0]).toMatchObject({ clientLeft: true });
  }));

test('an interrupt while a tool runs ends its process, and the next message works', () =>
  withDurable({ script: [calls(heldCommand()), says('Fine.')] }, async (durable) => {
    const id = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    await durable.agent.interrupt(durable.sessionId, 'user');

    expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_tools' });
    expect(isRunning(readFileSync(join(durable.project, 'runs'), 'utf8'))).toBe(false);
    expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
    expect(JSON.stringify(durable.requestMessages[1])).toMatch(
      /tool_result.*The user stopped this tool call.*Next\./,
    );
  }));

test('an interrupt when nothing runs does not stop the next query', () =>
  withDurable({ script: [says('One.'), says('Two.')], rolloverEvents: 1 }, async (durable) => {
    await durable.ask('1?');
    await durable.agent.interrupt(durable.sessionId, 'user');

    expect(await durable.ask('2?')).toMatchObject({ result: 'Two.' });
  }));

test('a message that waited while its query was interrupted is answered next', () =>
  withDurable({ script: [cutOffReply, says('Second.')] }, async (durable) => {
    await durable.say('Talk.');
    await untilMidStream(durable);
    const second = await durable.say('2?');
    await durable.agent.interrupt(durable.sessionId, 'user');

    expect(await durable.resultOf(second)).toMatchObject({ result: 'Second.' });
  }));

test('stop ends the query and the session; what waits is dropped', () =>
  withDurable({ script: [calls(heldCommand())] }, async (durable) => {
    const id = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    await durable.say('Never mind.');
    await durable.agent.stop(durable.sessionId);

    expect(await durable.closed(durable.sessionHandle)).toBe('COMPLETED');
    expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_tools' });
    expect(durable.model.requests).toHaveLength(1);
  }));

test("Temporal's Cancel of a query stops it as a user does", () =>
  withDurable({ script: [cutOffReply, says('Fine.')] }, async (durable) => {
    const id = await durable.say('Talk.');
    await untilMidStream(durable);
    await durable.queryHandle(id).cancel();

    expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_streaming' });
    expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
  }));

test("Temporal's Cancel of a session stops its query and ends it", () =>
  withDurable({ script: [cutOffReply, says('Fine.')] }, async (durable) => {
    const id = await durable.say('Talk.');
    await untilMidStream(durable);
    await durable.sessionHandle.cancel();

    expect(await durable.closed(durable.sessionHandle)).toBe('COMPLETED');
    expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_streaming' });
    expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
  }));

describe.each([
  ['in the run that started it', 500],
  ['after the session has rolled over', 1],
])("Temporal's Terminate of a query %s", (_when, rolloverEvents) => {
  test('leaves a session that answers the next message, and the model knows what was begun', () =>
    withDurable(
      { script: [says('Before.'), calls(heldCommand()), says('Fine.')], rolloverEvents },
      async (durable) => {
        await durable.ask('First.');
        const id = await durable.say('Work.');
        await fileIn(durable.project, 'started');
        await durable.queryHandle(id).terminate();

        expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
        expect(JSON.stringify(durable.requestMessages[2])).toMatch(
          /Before\..*Work\..*tool_use.*Next\./,
        );
        writeFileSync(join(durable.project, 'go'), '');
      },
    ));
});

function isRunning(pid: string): boolean {
  return existsSync(`/proc/${pid.trim()}`);
}
