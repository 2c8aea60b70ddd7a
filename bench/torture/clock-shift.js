// Preloaded into a service (`--import`): its wall clock goes by what the file TORTURE_CLOCK says, in milliseconds ahead,
// as soon as SIGWINCH comes. Monotonic time goes on as it does when somebody sets a machine's clock.
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
