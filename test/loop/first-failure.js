const { TestEnvironment } = require('jest-environment-node');

/** For mutation runs: the first test that fails has caught the mutant, so those behind it need not run. */
module.exports = class FirstFailure extends TestEnvironment {
  #hasFailed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_fn_failure') this.#hasFailed = true;
    if (name === 'test_start' && this.#hasFailed) test.mode = 'skip';
  }
};
