import { layer, setOf, userPrompt } from './given';
import { runHooks } from '../../src/hooks/run-hooks';
import type { HookAnswer } from '../../src/hooks/hook-answer';

const late = '{"systemMessage": "LATE", "decision": "block", "reason": "too late"}';

/** The answer that comes after the hook was left to itself. */
function lateAnswer(hook: object): Promise<HookAnswer> {
  const set = setOf(layer({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] } }));
  return new Promise((resolve, reject) => {
    runHooks(set, userPrompt(), {
      cwd: '/',
      projectDir: '/',
      env: { PATH: process.env['PATH'] },
      signal: new AbortController().signal,
      onLate: resolve,
    }).catch(reject);
  });
}

test.each([
  ['by its settings', { type: 'command', command: `sleep 0.1; echo '${late}'`, async: true }],
  [
    'by its first line',
    { type: 'command', command: `echo '{"async": true}'; sleep 0.1; echo '${late}'` },
  ],
])('a hook that goes on %s is heard when it has ended', async (_, hook) => {
  expect(await lateAnswer(hook)).toMatchObject({ systemMessage: 'LATE' });
});
