// Runs tests, compiled once beforehand, together with the type check and lint. By default: those that every change should pass; with --all
// also the long ones that rarely fail alone (*.long.test.ts, and tests with `long: true`); with --quick only those that need no browser,
// git remote, full disk or kills; or the named files (test/auth/auth.test.ts), with everything in them. --jobs=1 sets the number of
// concurrent processes, by default two more than there are processors, because tests also wait. --costs reports at the end where CPU time
// went: to which phase, which files, and which of their tests.
//
// In a run of all files, one that failed is run again alone when the others are over, because browsers and kills are slow on a loaded
// machine. A file that passes then counts as passed; it is named at the end, and the output of its failure stays above.
//
// Quick and slow files are run one after the other in as many processes as run at once (test/support/several.ts): most of each file's time
// would be the start of Node, loading the service, and code that the engine has yet to compile. Long files, and those that are named, have
// a process each. All are plain processes: nothing is loaded into a service, a host or a thread that would not be there elsewhere.
import './needs-node.js'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const timeoutS = 480
/** How many seconds each file took when it last passed. Not in .build, which every run makes anew. */
const remembered = '.cache/tests/seconds.json'
/** More failures than this are no accident, and are not repeated. */
const mostRepeated = 5
/** How many files --costs lists at most. */
const mostCostly = 40
/** How many files share a process at most. It keeps a little of what each has loaded, and by then takes more than a gigabyte. */
const mostTogether = 55
/** Slow files with a process of their own: they check the state of the whole process. */
const alone = new Set(['test/service/handles.slow.test.ts', 'test/ground/storage.slow.test.ts'])
const running = new Set()
/**
 * For temporary files of tests: in memory if a system administrator runs the tests. Then nothing waits for a disk; what a killed process
 * has written is kept nevertheless.
 */
const scratch = mkdtempSync(join(tmpdir(), 'tests-'))
const inMemory = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o mode=1777 tmpfs "$0" && exec "$@"', scratch]
process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))
let cpuBefore = 0
/**
 * A test starts services that live for a moment. Copying what they still need from one space to the next, and searching the whole
 * heap for what they left, took a quarter of the time: so the space for new objects is large, and the heap is first searched at a
 * gigabyte. Both are collected by the one thread that has to wait for it, because the other processors are busy with other tests.
 * Source maps are read only for failures.
 */
const engine = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--initial-old-space-size=1024', '--single-threaded-gc']
/**
 * To start a program, the system copies the page tables of all memory that the C library has allocated, a few hundred megabytes in
 * a process of many tests: some 20 ms of CPU time for each `git`. With pages of 2 MB in a single arena, it takes a tenth of that.
 * Other C libraries ignore this.
 */
const memory = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1' }
/** These measure memory, or how long the event loop is blocked, and use the engine as services do. */
const measuring = new Set(['test/ground/loop-delay.long.test.ts', 'test/machines/relay-bodies.long.test.ts'])
/** This file runs others again. */
const repeating = 'test/machines/relay-suites.long.test.ts'
const place = spawnSync(inMemory[0], [...inMemory.slice(1), 'true']).status === 0 ? inMemory : []
const { named, isQuick, isAll, hasCosts, jobs, unknown } = read(process.argv.slice(2))
/** CPU seconds of each phase. */
const phases = new Map()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    for (const child of running) endGroup(child, signal)
    process.exit(1)
  })
}

if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(' ')}`)
  process.exitCode = 1
} else {
  const files = named.length > 0 ? named : allFiles()
  const built = files.includes(repeating) ? [] : files
  process.exitCode = spawnSync(process.execPath, ['scripts/build-tests.js', ...built], { stdio: 'inherit' }).status ?? 1
  spend('build of the tests', cpuSinceLast())
  if (process.exitCode === 0) await runAll(files)
}

function read (args) {
  const named = args.filter((arg) => !arg.startsWith('-'))
  const options = args.filter((arg) => arg.startsWith('-'))
  const jobs = options.map((option) => Number(/^--jobs=([1-9]\d*)$/.exec(option)?.[1])).find((number) => number > 0) ??
    availableParallelism() + 2
  return {
    named,
    isQuick: options.includes('--quick'),
    isAll: options.includes('--all'),
    hasCosts: options.includes('--costs'),
    jobs,
    unknown: [
      ...options.filter((option) => !/^--(?:quick|all|costs|jobs=[1-9]\d*)$/.test(option)),
      ...named.filter((path) => !existsSync(path))
    ]
  }
}

function allFiles () {
  const files = ['test', 'web/test'].flatMap((folder) => readdirSync(folder, { recursive: true }).map((path) => `${folder}/${path}`))
  return files.filter((path) => path.endsWith('.test.ts') && (isAll || !path.endsWith('.long.test.ts')) && (!isQuick || isQuickFile(path)))
}

async function runAll (files) {
  const taken = readTaken()
  const results = new Map()
  const report = (path, result, again = false) => {
    results.set(path, result)
    const { isGood, seconds, cpu, output } = result
    console.log(`${isGood ? 'ok    ' : 'NOT OK'} ${again ? '  again' : `${String(results.size).padStart(3)}/${files.length}`} ${seconds.toFixed(1).padStart(6)} s ${cpu.toFixed(1).padStart(6)} s CPU  ${path}${isGood ? '' : `\n${output}`}`)
  }
  const beganAt = performance.now()
  // The length of a new file tells well enough how long it takes.
  const weight = (path) => taken[path] ?? statSync(path).size * (isQuickFile(path) ? 1 : 8) / 8_000
  const heaviness = (paths) => paths.reduce((sum, path) => sum + weight(path), 0)
  const isShared = (path) => named.length === 0 && kindOf(path) !== 'long' && !alone.has(path)
  const single = files.filter((path) => !isShared(path)).toSorted((a, b) => weight(b) - weight(a))
  const lanes = lanesOf(files.filter(isShared))
  /** Whoever has run its own files takes the last one of those who have most left. */
  const nextOf = (lane) => lane.shift() ?? lanes.toSorted((a, b) => heaviness(b) - heaviness(a))[0].pop()
  const checks = named.length > 0 || isQuick ? [] : ['typecheck', 'lint']
  const wrong = []
  await Promise.all(lanes.map(async (lane) => {
    for (let check = checks.shift(); check !== undefined; check = checks.shift()) if (!await passes(check)) wrong.push(check)
    for (let path = single.shift(); path !== undefined; path = single.shift()) await runFiles(path, report)
    for (let path = nextOf(lane); path !== undefined; path = nextOf(lane)) await runFiles(path, report, () => nextOf(lane))
  }))
  const failed = () => files.filter((path) => results.get(path)?.isGood !== true)
  const repeated = named.length === 0 && failed().length <= mostRepeated ? failed() : []
  for (const path of repeated) await runFiles(path, (path, result) => report(path, result, true))

  for (const [path, { isGood, seconds }] of results) if (isGood) taken[path] = Math.round(seconds * 10) / 10
  mkdirSync(dirname(remembered), { recursive: true })
  writeFileSync(remembered, JSON.stringify(taken, null, 1))

  const sum = (name) => [...results.values()].reduce((total, { counts }) => total + (counts[name] ?? 0), 0)
  console.log(`\n${files.length} files, ${sum('total')} assertions: ${sum('pass')} passed, ${sum('fail')} failed, ${sum('skip')} skipped; ${sum('long') > 0 ? `${sum('long')} long tests left to npm run test:all; ` : ''}${Math.round((performance.now() - beganAt) / 1_000)} s, ${Math.round(cpuSeconds())} s of the processors`)
  if (hasCosts) showCosts(results)
  for (const path of repeated.filter((path) => results.get(path)?.isGood === true)) console.log(`Passed only alone: ${path}`)
  for (const path of failed()) console.log(`Failed: ${path}`)
  for (const check of wrong) console.log(`Failed: npm run ${check}`)
  if (failed().length > 0 || wrong.length > 0) process.exitCode = 1
}

/** Signals a process and its group, if it still exists. */
function endGroup ({ pid }, signal) {
  try {
    process.kill(-pid, signal)
  } catch {}
}

/** Runs a script of package.json, and shows its output if it fails. Resolves to whether it passed. */
async function passes (check) {
  const beganAt = performance.now()
  const child = spawn('npm', ['run', '--silent', check], { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  running.add(child)
  let output = ''
  for (const channel of [child.stdout, child.stderr]) channel.setEncoding('utf8').on('data', (text) => { output += text })
  let cpu = 0
  child.on('exit', () => { cpu = cpuSinceLast() })
  const ending = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) => resolve(signal ?? code))
  })
  running.delete(child)
  spend(`npm run ${check}`, cpu)
  const isGood = ending === 0
  console.log(`${isGood ? 'ok    ' : 'NOT OK'}         ${((performance.now() - beganAt) / 1_000).toFixed(1).padStart(6)} s ${cpu.toFixed(1).padStart(6)} s CPU  npm run ${check}${isGood ? '' : `\n${output}`}`)
  return isGood
}

/**
 * Divides files among the processes that run at once. Each gets the same ones every time, in the same order, so that side effects of one
 * file on another show, and neighbours, which need the same code. Slow files come first, so that none of them is running when all others
 * are over.
 */
function lanesOf (files) {
  const kinds = ['slow', 'quick'].map((kind) => files.filter((path) => kindOf(path) === kind).toSorted())
  return Array.from({ length: jobs }, (_, lane) => kinds.flatMap((paths) => {
    const cutAt = (lane) => Math.round(lane * paths.length / jobs)
    return paths.slice(cutAt(lane), cutAt(lane + 1))
  }))
}

function readTaken () {
  try {
    return JSON.parse(readFileSync(remembered, 'utf8'))
  } catch {
    return {}
  }
}

/**
 * Runs a file in a new process, and then those that `next` returns, and reports each. A file passed if the process said so at its end; if
 * the process ended before that, the file that was running is at fault.
 */
async function runFiles (first, report, next = () => undefined) {
  const beganAt = performance.now()
  const isMeasured = measuring.has(first)
  const [program, ...args] = [...place, process.execPath, ...isMeasured ? [] : engine, '.build/test/support/several.js']
  const child = spawn(program, args, {
    env: {
      ...process.env,
      ...isMeasured ? {} : memory,
      TEST_TIMEOUT_S: String(timeoutS),
      TMPDIR: scratch,
      TEST_FILES: first,
      TEST_NEXT: '3',
      ...isAll || named.length > 0 ? { TEST_LONG: '1' } : {}
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // In its own group, so that processes that a test has started and not ended can be ended with it.
    detached: true
  })
  running.add(child)
  // By then the process itself should have reported what it was waiting for.
  const kill = () => endGroup(child, 'SIGKILL')
  let timer = setTimeout(kill, (timeoutS + 30) * 1_000)
  let output = ''
  let problems = ''
  let [path, last] = [first, first]
  let count = 1
  let isEnough = false
  // It may have ended by itself.
  const toldPaths = child.stdio[3].on('error', () => {})
  child.stderr.setEncoding('utf8').on('data', (text) => { problems += text })
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
    const said = /^# file (\{.*\})\n/m.exec(output)
    if (said === null) return
    const { isGood, isLast, ...result } = JSON.parse(said[1])
    const before = output.slice(0, said.index)
    report(path, { ...result, isGood, costly: before.match(/^# \d+\.\d s of CPU: .*$/gm) ?? [], output: isGood ? '' : `${before}${problems}` })
    spend(`${kindOf(path)} files`, result.cpu)
    cpuOfFiles += result.cpu
    output = output.slice(said.index + said[0].length)
    problems = ''
    isEnough = isLast
    last = path
    path = isEnough || count === mostTogether ? undefined : next()
    count += 1
    if (path === undefined) toldPaths.end()
    else toldPaths.write(`${path}\n`)
    clearTimeout(timer)
    timer = setTimeout(kill, (timeoutS + 90) * 1_000)
  })
  let cpu = 0
  let cpuOfFiles = 0
  const ending = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('exit', () => {
      cpu = cpuSinceLast()
      kill()
    })
    child.on('close', (code, signal) => resolve(signal ?? code))
  })
  clearTimeout(timer)
  running.delete(child)
  spend('processes of tests, beside their files', Math.max(0, cpu - cpuOfFiles))
  const fault = path ?? (isEnough || ending === 0 ? undefined : last)
  if (fault === undefined) return
  report(fault, {
    isGood: false, counts: {}, costly: [], seconds: (performance.now() - beganAt) / 1_000, cpu: Math.max(0, cpu - cpuOfFiles), output: `${output}${problems}Ended with ${ending}\n`
  })
}

/**
 * Returns the CPU seconds of processes that have ended since the last call, including their children that were waited for; 0 without /proc.
 */
function cpuSinceLast () {
  const before = cpuBefore
  cpuBefore = cpuSeconds()
  return cpuBefore - before
}

/** Returns the CPU seconds of all processes that have ended. */
function cpuSeconds () {
  try {
    return readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /, '').split(' ').slice(13, 15).reduce((sum, ticks) =>
      sum + Number(ticks), 0) / 100
  } catch {
    return 0
  }
}

function spend (phase, cpu) {
  phases.set(phase, (phases.get(phase) ?? 0) + cpu)
}

/** Reports where CPU time went. The processes of a browser or bundler are not included, because nothing waits for their end. */
function showCosts (results) {
  const line = (cpu, text) => console.log(`${cpu.toFixed(1).padStart(8)}  ${text}`)
  const falling = (one, other) => other[0] - one[0]
  console.log('\nSeconds of the processors, by phase:')
  for (const [cpu, phase] of [...phases].map(([phase, cpu]) => [cpu, phase]).toSorted(falling)) line(cpu, phase)
  console.log('\nThe files that took most, with their tests of more than half a second:')
  const files = [...results].map(([path, { cpu, costly }]) => [cpu, path, costly]).toSorted(falling)
  for (const [cpu, path, costly] of files.slice(0, mostCostly)) {
    line(cpu, path)
    for (const test of costly) console.log(`            ${test.slice(2).replace(' s of CPU:', ' ')}`)
  }
  console.log('')
}

function kindOf (path) {
  return /\.(slow|long)\.test\.ts$/.exec(path)?.[1] ?? 'quick'
}

function isQuickFile (path) {
  return kindOf(path) === 'quick'
}
