// Preloaded into a service (`--import`): on SIGWINCH, shifts its wall clock ahead by the milliseconds in the file TORTURE_CLOCK. Monotonic
// time goes on, as when a person sets a machine's clock.
import { readFileSync } from 'node:fs'

let aheadMs = 0
const RealDate = Date
const now = () => RealDate.now() + aheadMs

globalThis.Date = class extends RealDate {
  constructor (...values) {
    if (values.length === 0) super(now())
    else super(...values)
  }

  static now () { return now() }
}
process.on('SIGWINCH', () => { aheadMs = Number(readFileSync(process.env.TORTURE_CLOCK, 'utf8')) })
