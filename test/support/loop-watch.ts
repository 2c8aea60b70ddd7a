import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Runs in the service that is watched, before it. A timer compares every other millisecond how much processor time the thread of the
 * event loop has used since it last came: what ran meanwhile held up everybody. Processor time is the same on a machine that others use as well.
 */
const watcher = `
import { readFileSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
if (isMainThread) {
  const used = () => Number(readFileSync('/proc/' + process.pid + '/task/' + process.pid + '/schedstat', 'latin1').split(' ')[0]) / 1e6
  const file = process.env.LOOP_WATCH
  let last = used()
  let longest = 0
  let asked = 0
  const look = () => {
    const now = used()
    longest = Math.max(longest, now - last)
    last = now
  }
  setInterval(look, 2).unref()
  process.on('SIGWINCH', () => {
    look()
    writeFileSync(file, ++asked + ' ' + longest)
    longest = 0
  })
}
`

/** Variables with which a service is started to be watched; it tells what it has seen through this file. */
export function watchedBy (file: string): Record<string, string> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watcher)}`, LOOP_WATCH: file }
}

/** For how long, in milliseconds of processor time, the event loop of a watched process took no turn since this was last asked. */
export function createLoopWatch (pid: number, file: string): () => Promise<number> {
  let asked = 0
  return async () => {
    asked++
    process.kill(pid, 'SIGWINCH')
    for (;;) {
      await delay(5)
      const [count, longestMs] = existsSync(file) ? readFileSync(file, 'utf8').split(' ').map(Number) : []
      if (count === asked && longestMs !== undefined) return longestMs
    }
  }
}
