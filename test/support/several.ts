// Runs test files one after the other in one process (scripts/test.js), and says of each how it went:
//   TEST_FILES='test/auth/access.test.ts test/auth/auth.test.ts' node .build/test/support/several.js
// Each begins as in a process of its own: with the same environment, and when nothing runs any more that the one before has
// started. What they are spared is to start, to load the service, and to have all of it compiled.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Test } from 'tap'
import { hold, root as tap } from './tap.js'

/** What a file has closed is gone by then, on a loaded machine as well. */
const mostLeavingMs = 60_000
const timeout = Number(process.env.TAP_TIMEOUT ?? 30) * 1_000
// Not as arguments: tap makes them part of the names of folders.
const paths = process.env.TEST_FILES?.split(' ') ?? []
delete process.env.TEST_FILES
const environment = { ...process.env }

tap.setTimeout((timeout + mostLeavingMs) * paths.length)
// All of them in one test: tap takes it for the end of everything when the process has nothing to do any more.
void tap.test('files', { timeout: 0 }, async (files) => {
  for (const path of paths) await run(files, path)
})

async function run (files: Test, path: string): Promise<void> {
  const beganAt = performance.now()
  const cpuBefore = cpuSeconds()
  const before = { ...tap.counts }
  const compiled = new URL(`../../${path.replace(/\.ts$/, '.js')}`, import.meta.url)
  process.argv[1] = fileURLToPath(compiled)
  const result = await files.test(path, { timeout }, async (t) => {
    hold(t)
    await import(compiled.href)
  })
  const left = await leaving()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  if (left.length > 0) files.fail(`${path} has left something running: ${left.join(', ')}`)
  const { total, pass, fail, skip } = tap.counts
  const counts = { total: total - before.total, pass: pass - before.pass, fail: fail - before.fail, skip: skip - before.skip }
  const said = { path, isGood: result?.ok === true && left.length === 0, counts, seconds: (performance.now() - beganAt) / 1_000, cpu: cpuSeconds() - cpuBefore, isLast: left.length > 0 }
  files.comment(`file ${JSON.stringify(said)}`)
  if (said.isLast) process.exit(1)
}

/** Waits until nothing would keep the process alive; what still does after that time. */
async function leaving (): Promise<string[]> {
  return await new Promise((resolve) => {
    const over = (left: string[]): void => {
      process.off('beforeExit', onNothing)
      clearTimeout(timer)
      setImmediate(() => resolve(left))
    }
    const onNothing = (): void => over([])
    const timer = setTimeout(() => over(process.getActiveResourcesInfo()), mostLeavingMs).unref()
    process.once('beforeExit', onNothing)
  })
}

/** Of this process and of those that it started and that are over; 0 where there is no /proc. */
function cpuSeconds (): number {
  try {
    return readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /, '').split(' ').slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
  } catch {
    return 0
  }
}
