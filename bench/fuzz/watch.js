// Preloaded into the service (`--import`). Writes one line of JSON to the file FUZZ_WATCH when the event loop was blocked for
// long (in CPU time of its thread, which a busy machine does not lengthen), for each uncaught error, and, on SIGWINCH, the
// used memory after a collection.
import { appendFileSync, readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const file = process.env.FUZZ_WATCH
if (isMainThread && file !== undefined) {
  delete process.env.FUZZ_WATCH
  const tell = (line) => appendFileSync(file, `${JSON.stringify(line)}\n`)
  const usedMs = () => Number(readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
  let lastMs = usedMs()
  setInterval(() => {
    const nowMs = usedMs()
    if (nowMs - lastMs > 50) tell({ pauseMs: Math.round(nowMs - lastMs) })
    lastMs = usedMs()
  }, 2).unref()
  process.on('uncaughtExceptionMonitor', (error, origin) => tell({ uncaught: `${origin}: ${error?.stack ?? error}` }))
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  process.on('SIGWINCH', () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    tell({ usedMib: (heapUsed + external) / 1024 / 1024 })
    lastMs = usedMs()
  })
}
