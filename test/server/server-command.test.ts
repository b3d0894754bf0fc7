import { serverArguments } from '../../src/server/server-command';

const PORTS = { frontend: 1, ui: 2, http: 3, metrics: 4 };

test('the settings that the promises rest on are passed as JSON', () => {
  const args = serverArguments('/home/temporal.db', PORTS, {}).join(' ');

  expect(args).toContain('--ip 127.0.0.1');
  expect(args).toContain('--db-filename /home/temporal.db ');
  expect(args).toContain('--sqlite-pragma journal_mode=wal --sqlite-pragma synchronous=normal');
  for (const setting of [
    'system.enableActivityEagerExecution=true',
    'frontend.WorkflowPauseEnabled=true',
    'history.transferProcessorMaxPollRPS=2000',
    'history.timerProcessorMaxPollRPS=2000',
    'history.visibilityProcessorMaxPollRPS=2000',
    'history.timerProcessorMaxTimeShift="10ms"',
  ]) {
    expect(args).toContain(`--dynamic-config-value ${setting}`);
  }
});

test('each search attribute is passed by name and type', () => {
  const args = serverArguments('/home/temporal.db', PORTS, { State: 'Keyword', Turns: 'Int' });

  expect(args.join(' ')).toContain('--search-attribute State=Keyword --search-attribute Turns=Int');
});
