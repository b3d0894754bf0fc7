import { createToolScheduler } from '../../src/loop/tool-scheduler';
import { call, safeCall } from './builders';
import { bench, follow, take } from './scheduler-bench';

describe('which calls may overlap', () => {
  test('safe calls do', () => {
    const on = bench();

    take(on, safeCall('a'), safeCall('b'), safeCall('c'));

    expect(on.started).toEqual(['a', 'b', 'c']);
  });

  test('an exclusive call runs alone, and calls keep their order around it', async () => {
    const on = bench();

    take(on, safeCall('a'), call('X'), safeCall('b'));

    expect(on.started).toEqual(['a']);
    await on.finish('a');
    expect(on.started).toEqual(['a', 'X']);
    await on.finish('X');
    expect(on.started).toEqual(['a', 'X', 'b']);
  });

  test('two exclusive calls run one after the other', async () => {
    const on = bench();

    take(on, call('X'), call('Y'));

    expect(on.started).toEqual(['X']);
    await on.finish('X');
    expect(on.started).toEqual(['X', 'Y']);
  });

  test('a safe call that is blocked is passed over, an exclusive one is not', async () => {
    const on = bench();

    take(on, call('X'), safeCall('a'), call('Y'), safeCall('b'));
    await on.finish('X');

    expect(on.started).toEqual(['X', 'a']);
    await on.finish('a');
    expect(on.started).toEqual(['X', 'a', 'Y']);
  });

  test('no more than the limit at a time, then the next in order', async () => {
    const on = bench({ maxConcurrency: 2 });

    take(on, safeCall('a'), safeCall('b'), safeCall('c'), safeCall('d'));

    expect(on.started).toEqual(['a', 'b']);
    await on.finish('b');
    expect(on.started).toEqual(['a', 'b', 'c']);
  });
});

describe('results', () => {
  test('are released in the order of the request, each as soon as those before it are there', async () => {
    const on = bench();
    take(on, safeCall('a'), safeCall('b'), safeCall('c'));
    const { released, over } = follow(on);

    await on.finish('c');
    expect(released).toEqual([]);
    await on.finish('a', { type: 'failed', message: 'boom' });
    expect(released).toEqual(['a failed']);
    await on.finish('b');
    await over;

    expect(released).toEqual(['a failed', 'b done', 'c done']);
  });

  test('of a reply without calls are none', async () => {
    const on = bench();
    take(on);

    const { released, over } = follow(on);
    await over;

    expect(released).toEqual([]);
    expect(on.tools.voided()).toEqual([]);
  });

  test('reject when the host breaks', async () => {
    const tools = createToolScheduler({
      run: () => Promise.reject(new Error('a bug of the host')),
      mayStart: () => true,
      maxConcurrency: 1,
      siblingAbort: false,
    });
    tools.addAll('stream', [call('a')]);

    await expect(tools.results()[0]!.outcome).rejects.toThrow('a bug of the host');
  });
});

describe('a stop', () => {
  test('interrupts what waits, and lets what runs end', async () => {
    const on = bench();
    take(on, call('X'), safeCall('a'), call('Y'));
    const { released, over } = follow(on);

    on.mayStart = false;
    await on.finish('X');
    await over;

    expect(on.started).toEqual(['X']);
    expect(released).toEqual(['X done', 'a interrupted', 'Y interrupted']);
  });

  test('before the first call interrupts all', async () => {
    const on = bench();
    on.mayStart = false;

    take(on, safeCall('a'), call('X'));
    const { released, over } = follow(on);
    await over;

    expect(released).toEqual(['a interrupted', 'X interrupted']);
  });
});

describe('an early call', () => {
  test('of the kept stream is not started again, and has its place in the order', async () => {
    const on = bench();
    on.tools.addEarly('stream', safeCall('b'));

    take(on, safeCall('a'), safeCall('b'));
    const { released, over } = follow(on);
    await on.finish('b');
    await on.finish('a');
    await over;

    expect(on.started).toEqual(['b', 'a']);
    expect(released).toEqual(['a done', 'b done']);
  });

  test('keeps an exclusive call of the same reply waiting', async () => {
    const on = bench();
    on.tools.addEarly('stream', safeCall('a'));

    take(on, safeCall('a'), call('X'));

    expect(on.started).toEqual(['a']);
    await on.finish('a');
    expect(on.started).toEqual(['a', 'X']);
  });

  test('of another stream is void, but the results end only after it', async () => {
    const on = bench();
    on.tools.addEarly('broken stream', safeCall('a'));

    take(on, safeCall('a'));
    const { released, over } = follow(on);
    const isOver = jest.fn();
    void over.then(isOver);

    // The kept call bears the same id; the void one was started first and is what still runs.
    expect(on.started).toEqual(['a', 'a']);
    await on.finish('a');
    expect(released).toEqual(['a done']);
    expect(isOver).not.toHaveBeenCalled();
  });

  test('that still waits when its stream is given up never starts, and nothing waits for it', async () => {
    const on = bench({ maxConcurrency: 1 });
    on.tools.addEarly('broken stream', safeCall('a'));
    on.tools.addEarly('broken stream', safeCall('b'));

    take(on, safeCall('c'));
    const { released, over } = follow(on);
    await on.finish('a');
    await on.finish('c');
    await over;

    expect(on.started).toEqual(['a', 'c']);
    expect(released).toEqual(['c done']);
  });

  test('that the kept reply does not have is void', async () => {
    const on = bench();
    on.tools.addEarly('stream', safeCall('a'));

    take(on, safeCall('b'));
    const { released, over } = follow(on);
    await on.finish('a');
    await on.finish('b');
    await over;

    expect(released).toEqual(['b done']);
  });
});
