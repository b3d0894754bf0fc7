// Needs: a Temporal server (started by the run).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDurable, type Durable } from '../support/durable';
import { call, calls, fileIn, heldCommand, says, text } from '../support/replies';
import { processesIn } from '../../src/bench/processes-in';
import { until } from '../tools/shell/until';

/** Leaves its session, its environment and its parent, and does not want to end. */
const stubborn = call('Bash', {
  command: `
cat > stay.sh <<'END'
trap '' TERM HUP
touch started
while [ -e alive ]; do sleep 0.05; done
END
touch alive
(env -i setsid nohup bash stay.sh >/dev/null 2>&1 &)
bash stay.sh`,
});

const held = { content: [text('Half'), { ...text(' never'), hold: 'mid-stream' }] };

const noProcessLeft = ({ project }: Durable): Promise<void> =>
  until(() => processesIn(project).length === 0);

test("after Temporal's Terminate of a query its processes are ended", () =>
  withDurable({ script: [calls(stubborn), says('Fine.')] }, async (durable) => {
    const id = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    await durable.queryHandle(id).terminate();

    await noProcessLeft(durable);
    expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
  }));

test("after Temporal's Terminate of a query its model request is closed", () =>
  withDurable({ script: [held, says('Fine.')] }, async (durable) => {
    const id = await durable.say('Talk.');
    await durable.model.waitUntilHeld('mid-stream');
    await durable.queryHandle(id).terminate();

    await durable.model.requests[0]?.ended;
    expect(durable.model.requests[0]).toMatchObject({ clientLeft: true });
    expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
  }));

test("Temporal's Terminate of a session leaves its query at work; the next message comes after it", () =>
  withDurable({ script: [calls(heldCommand()), says('Done.'), says('Fine.')] }, async (durable) => {
    const first = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    await durable.sessionHandle.terminate();
    const next = await durable.say('Next.');
    writeFileSync(join(durable.project, 'go'), '');

    expect(await durable.resultOf(first)).toMatchObject({ result: 'Done.' });
    expect(await durable.resultOf(next)).toMatchObject({ result: 'Fine.' });
    expect(JSON.stringify(durable.requestMessages[2])).toMatch(/Work\..*went.*Done\..*Next\./);
  }));

test("Temporal's Terminate of session and query: the next message is answered, nothing is lost", () =>
  withDurable({ script: [says('Before.'), calls(stubborn), says('Fine.')] }, async (durable) => {
    await durable.ask('First.');
    const id = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    await durable.sessionHandle.terminate();
    await durable.queryHandle(id).terminate();

    expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
    expect(JSON.stringify(durable.requestMessages[2])).toMatch(/First\..*Before\..*Work\..*Next\./);
    await noProcessLeft(durable);
  }));
