// Runs test files one after the other in one process (scripts/test.js), and reports the result of each:
//   TEST_FILES='test/auth/access.test.ts test/auth/auth.test.ts' node .build/test/support/several.js
// TEST_NEXT names a descriptor from which further files are read, one per line, each when those before it are over.
// Each begins as if in its own process: with the same environment, and once nothing runs any more that the one before has started. What
// they save is starting Node, loading the service, and compiling all of it. What the engine has compiled for one process is reused by the
// next one of the same run.
import { readSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { knownSecrets } from '../../services/ground/redaction/index.js'
import { createKnownSecrets } from '../../services/ground/redaction/known.js'
import { gitStartsIn } from '../../services/workspace/git/index.js'
import { asWritten, cpuSeconds, hold, Test, unfinished } from './harness.js'

/** Enough for everything that a file has closed to be gone, even on a loaded machine. */
const mostLeavingMs = 60_000
const timeoutMs = Number(process.env.TEST_TIMEOUT_S ?? 480) * 1_000
const paths = process.env.TEST_FILES?.split(' ') ?? []
const descriptor = Number(process.env.TEST_NEXT)
delete process.env.TEST_FILES
delete process.env.TEST_NEXT
// Only for this process: the processes that tests start use memory as they do elsewhere.
delete process.env.GLIBC_TUNABLES
const environment = { ...process.env }
let told = ''

enableCompileCache(fileURLToPath(new URL('../../compiled', import.meta.url)))
gitStartsIn(process.env)
// An uncaught error ends the process, which prints it.
process.on('uncaughtExceptionMonitor', (error) => { error.stack = asWritten(error.stack ?? '') })
process.on('exit', () => { if (unfinished() !== '') console.log(`NOT OK ended while this ran: ${unfinished()}`) })
void runAll()

async function runAll (): Promise<void> {
  for (let path = next(); path !== undefined; path = next()) await run(path)
}

/** Waits for the next path, with everything else at rest; undefined at the end. */
function next (): string | undefined {
  const room = Buffer.alloc(1024)
  while (paths.length === 0) {
    const count = descriptor > 0 ? readSync(descriptor, room) : 0
    if (count === 0) break
    const lines = `${told}${room.toString('utf8', 0, count)}`.split('\n')
    told = lines.pop()!
    paths.push(...lines)
  }
  return paths.shift()
}

async function run (path: string): Promise<void> {
  const beganAt = performance.now()
  const cpuBefore = cpuSeconds()
  const compiled = new URL(`../../${path.replace(/\.ts$/, '.js')}`, import.meta.url)
  process.argv[1] = fileURLToPath(compiled)
  const file = new Test(path)
  const onNothing = (): void => {
    file.fail(`nothing happens any more, and this is not over: ${unfinished()}`)
    process.exit(1)
  }
  process.on('beforeExit', onNothing)
  await file.run(async (t) => {
    hold(t)
    await import(compiled.href)
  }, timeoutMs)
  process.off('beforeExit', onNothing)
  const left = await leaving()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  forgetSecrets()
  if (file.counts.total === 0) file.fail('nothing was tested')
  if (left.length > 0) file.fail(`left something running: ${left.join(', ')}`)
  const said = { path, isGood: file.isGood, counts: file.counts, seconds: (performance.now() - beganAt) / 1_000, cpu: cpuSeconds() - cpuBefore, isLast: left.length > 0 }
  // Without the event loop, which stands still until the next path is there, a full pipe would not get the rest of it.
  await new Promise<void>((resolve) => { process.stdout.write(`# file ${JSON.stringify(said)}\n`, () => resolve()) })
  if (said.isLast) process.exit(1)
}

/**
 * A process never forgets a secret, and searches every text for all of them. With the secrets of many files, that took a twentieth of the
 * time, and a file could be shown masks that it would not get alone.
 */
function forgetSecrets (): void {
  const none = createKnownSecrets()
  const before = knownSecrets.version + 1
  // What was masked with the earlier secrets is never taken for what these would mask.
  Object.defineProperties(knownSecrets, { ...Object.getOwnPropertyDescriptors(none), version: { configurable: true, get: () => before + none.version } })
}

/** Waits until nothing keeps the process alive; resolves to what still does after the time limit. */
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
