import { type Check, coded, ok, warning } from '../check.js'

/** Lines of the log that could not be written. */
export function logCheck ({ linesLost }: { linesLost: () => number }): Check {
  return {
    id: 'log',
    group: 'service',
    title: 'Log',
    run: () => linesLost() === 0
      ? coded(ok('Every line of the log was written.'), 'log_written')
      : warning(`${linesLost()} lines of the log could not be written.`, 'Check what takes the output of the service: its disk may be full, or its reader hangs.')
  }
}
