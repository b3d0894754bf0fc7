// Loaded into a process before anything else: its clock goes wrong by the milliseconds in the file that
// EVERLOOP_TEST_CLOCK names, as soon as they are written there.
'use strict';
const { readFileSync } = require('node:fs');

const RealDate = Date;
const file = process.env.EVERLOOP_TEST_CLOCK;

function now() {
  let shiftMs = 0;
  try {
    shiftMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // Nothing has been said yet.
  }
  return RealDate.now() + shiftMs;
}

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args));
  }

  static now() {
    return now();
  }
};
