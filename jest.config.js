/** One project: unit tests beside integration tests; integration files say in their first line what they need. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.jest.json', diagnostics: false }],
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Most tests wait for processes and servers most of the time.
  maxWorkers: '100%',
  // What files leave in a process adds up: past this, the next file gets a new one.
  workerIdleMemoryLimit: '1GB',
  // A deadline for what hangs, not a claim about speed: two cores may have much else to do.
  testTimeout: 180_000,
};
