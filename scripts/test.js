// Runs tests, compiled once beforehand: all of them; with --quick those that need neither a browser nor git remotes nor a full disk nor
// kills; or the files that are named (test/auth/auth.test.ts). --jobs=1 runs so many files at once, instead of one more than there are
// processors.
//
// Of a whole run, a file that failed is run once more when all others are over, alone: browsers and kills take their time on a
// loaded machine. What passes then is well; it is named at the end, and what it said the first time stands above.
//
// Each file is a plain process. The runner of tap would load hooks into it and, through its environment, into every service, host and
// thread that it starts: a third of the time, and not how a service runs elsewhere.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const timeoutS = 480
/** How many seconds each file took when it passed last. Not in .build, which every run makes anew. */
const remembered = 'node_modules/.cache/tests/seconds.json'
/** More than these are no accident. */
const mostRepeated = 5
const running = new Set()
/** For the temporary files of tests: in memory, where a system administrator runs them. Nothing waits for a disk there; what a killed process has written stays all the same. */
const scratch = mkdtempSync(join(tmpdir(), 'tests-'))
const inMemory = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o mode=1777 tmpfs "$0" && exec "$@"', scratch]
process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))
let cpuBefore = 0
const place = spawnSync(inMemory[0], [...inMemory.slice(1), 'true']).status === 0 ? inMemory : []
const { named, isQuick, jobs, unknown } = read(process.argv.slice(2))

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal)
    process.exit(1)
  })
}

if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(' ')}. For what else tap can do: npx tap run .build/test/auth/auth.test.js --grep=login`)
  process.exitCode = 1
} else {
  process.exitCode = spawnSync(process.execPath, ['scripts/build-tests.js'], { stdio: 'inherit' }).status ?? 1
  if (process.exitCode === 0) await runAll(named.length > 0 ? named : allFiles())
}

function read (args) {
  const named = args.filter((arg) => !arg.startsWith('-'))
  const options = args.filter((arg) => arg.startsWith('-'))
  const jobs = options.map((option) => Number(/^--jobs=([1-9]\d*)$/.exec(option)?.[1])).find((number) => number > 0) ?? availableParallelism() + 1
  return { named, isQuick: options.includes('--quick'), jobs, unknown: options.filter((option) => option !== '--quick' && !/^--jobs=[1-9]\d*$/.test(option)) }
}

function allFiles () {
  const files = readdirSync('test', { recursive: true }).map((path) => `test/${path}`)
  return files.filter((path) => path.endsWith('.test.ts') && !(isQuick && path.endsWith('.slow.test.ts')))
}

async function runAll (files) {
  // Those first that take long, so that none of them is still running when all else is over. Of a new one the text tells well enough how long.
  const taken = readTaken()
  const weight = (path) => taken[path] ?? statSync(path).size * (path.endsWith('.slow.test.ts') ? 8 : 1) / 8_000
  const waiting = files.toSorted((a, b) => weight(b) - weight(a))
  const results = []
  const run = async (path, again) => {
    const result = await runFile(path)
    if (again) results.splice(results.findIndex((earlier) => earlier.path === path), 1)
    results.push(result)
    console.log(`${result.isGood ? 'ok    ' : 'NOT OK'} ${again ? '  again' : `${String(results.length).padStart(3)}/${files.length}`} ${result.seconds.toFixed(1).padStart(6)} s ${result.cpu.toFixed(1).padStart(6)} s CPU  ${path}${result.isGood ? '' : `\n${result.output}`}`)
  }
  const beganAt = performance.now()
  await Promise.all(Array.from({ length: jobs }, async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) await run(path, false)
  }))
  const failed = () => results.filter(({ isGood }) => !isGood).map(({ path }) => path)
  const repeated = named.length === 0 && failed().length <= mostRepeated ? failed() : []
  for (const path of repeated) await run(path, true)

  for (const { path, isGood, seconds } of results) if (isGood) taken[path] = Math.round(seconds * 10) / 10
  mkdirSync(dirname(remembered), { recursive: true })
  writeFileSync(remembered, JSON.stringify(taken, null, 1))

  const sum = (name) => results.reduce((total, { counts }) => total + (counts[name] ?? 0), 0)
  console.log(`\n${files.length} files, ${sum('total')} assertions: ${sum('pass')} passed, ${sum('fail')} failed, ${sum('skip')} skipped; ${Math.round((performance.now() - beganAt) / 1_000)} s, ${Math.round(results.reduce((total, { cpu }) => total + cpu, 0))} s of the processors`)
  for (const path of repeated.filter((path) => !failed().includes(path))) console.log(`Passed only alone: ${path}`)
  for (const path of failed()) console.log(`Failed: ${path}`)
  if (failed().length > 0) process.exitCode = 1
}

function readTaken () {
  try {
    return JSON.parse(readFileSync(remembered, 'utf8'))
  } catch {
    return {}
  }
}

/** Good is a file whose process ended well and has said, as the last thing of all, how many tests there were. */
async function runFile (path) {
  const beganAt = performance.now()
  const [program, ...args] = [...place, process.execPath, '--enable-source-maps', `.build/${path.replace(/\.ts$/, '.js')}`]
  const child = spawn(program, args, {
    env: { ...process.env, TAP_TIMEOUT: String(timeoutS), TMPDIR: scratch },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  running.add(child)
  // By then tap itself should have said what it was waiting for.
  const timer = setTimeout(() => child.kill('SIGKILL'), (timeoutS + 30) * 1_000)
  const [output, problems] = [child.stdout, child.stderr].map((channel) => {
    const chunks = []
    channel.on('data', (chunk) => chunks.push(chunk))
    return () => Buffer.concat(chunks).toString()
  })
  let cpu = 0
  const ending = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('exit', () => { cpu = cpuSinceLast() })
    child.on('close', (code, signal) => resolve(signal ?? code))
  })
  clearTimeout(timer)
  running.delete(child)
  const counts = Object.fromEntries([.../^# \{ (.*) \}$/m.exec(output())?.[1].matchAll(/(\w+): (\d+)/g) ?? []].map(([, name, count]) => [name, Number(count)]))
  const isGood = ending === 0 && /^1\.\.\d+/m.test(output())
  return { path, isGood, counts, seconds: (performance.now() - beganAt) / 1_000, cpu, output: isGood ? '' : `${failures(output())}${problems()}Ended with ${ending}\n` }
}

/** Seconds of CPU of the processes that ended since this was asked last, with all they had started and waited for; 0 where there is no /proc. */
function cpuSinceLast () {
  let ticks = 0
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /, '').split(' ')
    ticks = Number(fields[13]) + Number(fields[14])
  } catch {}
  const seconds = (ticks - cpuBefore) / 100
  cpuBefore = ticks
  return seconds
}

/** What did not pass, with tap's account of it, and the names of the tests around. */
function failures (output) {
  let isShown = false
  return output.split('\n').filter((line) => {
    if (/^\s*(?:ok|not ok|# Subtest:|\d+\.\.\d+|Bail out!)/.test(line)) isShown = /^\s*(?:not ok|Bail out!)/.test(line)
    return isShown && line.trim() !== ''
  }).map((line) => `${line}\n`).join('')
}
