// Runs tests, compiled once beforehand, together with the type check and lint. By default: those that every change should pass; with --all
// also the long ones that rarely fail alone (*.long.test.ts, and tests with `long: true`); with --quick only those that need no browser,
// git remote, full disk or kills; or the named files (test/auth/auth.test.ts), with everything in them. --jobs=1 sets the number of
// concurrent processes, by default two more than there are processors, because tests also wait. --costs reports at the end where CPU time
// went: to which phase, which files, and which of their tests.
//
// In a run of all files, one that failed is run again alone when the others are over, because browsers and kills are slow on a loaded
// machine. A file that passes then counts as passed; it is named at the end, and the output of its failure stays above.
//
// Quick files, and slow ones, are run one after the other in a few processes (test/support/several.ts): most of each file's time is the
// start of Node, loading the service, and code that the engine has yet to compile. Long files, and those that are named, have a process
// each. All are plain processes: nothing is loaded into a service, a host or a thread that would not be there elsewhere.
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
/**
 * How many files share a process at most, by kind. Loading the service, compiling the checks of its answers and warming up the engine takes
 * two seconds of CPU time per process; with more files than these, the last process would run alone.
 */
const mostTogether = { quick: 40, slow: 14 }
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
  // Slow files first, so that none of them is still running when all others are over. The length of a new file tells well
  // enough how long it takes.
  const weight = (path) => taken[path] ?? statSync(path).size * (isQuickFile(path) ? 1 : 8) / 8_000
  const heaviness = (paths) => paths.reduce((sum, path) => sum + weight(path), 0)
  const waiting = (named.length > 0 ? files.map((path) => [path]) : together(files)).toSorted((a, b) => heaviness(b) - heaviness(a))
  const checks = named.length > 0 || isQuick ? [] : ['typecheck', 'lint']
  const wrong = []
  await Promise.all(Array.from({ length: jobs }, async () => {
    for (let check = checks.shift(); check !== undefined; check = checks.shift()) if (!await passes(check)) wrong.push(check)
    for (let paths = waiting.shift(); paths !== undefined; paths = waiting.shift()) {
      const missing = await runFiles(paths, report)
      if (missing.length > 0) waiting.unshift(missing)
    }
  }))
  const failed = () => files.filter((path) => !results.get(path).isGood)
  const repeated = named.length === 0 && failed().length <= mostRepeated ? failed() : []
  for (const path of repeated) await runFiles([path], (path, result) => report(path, result, true))

  for (const [path, { isGood, seconds }] of results) if (isGood) taken[path] = Math.round(seconds * 10) / 10
  mkdirSync(dirname(remembered), { recursive: true })
  writeFileSync(remembered, JSON.stringify(taken, null, 1))

  const sum = (name) => [...results.values()].reduce((total, { counts }) => total + (counts[name] ?? 0), 0)
  console.log(`\n${files.length} files, ${sum('total')} assertions: ${sum('pass')} passed, ${sum('fail')} failed, ${sum('skip')} skipped; ${sum('long') > 0 ? `${sum('long')} long tests left to npm run test:all; ` : ''}${Math.round((performance.now() - beganAt) / 1_000)} s, ${Math.round(cpuSeconds())} s of the processors`)
  if (hasCosts) showCosts(results)
  for (const path of repeated.filter((path) => results.get(path).isGood)) console.log(`Passed only alone: ${path}`)
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
 * Groups files that one process runs one after the other. The groups are always the same, so that side effects of one file on another show
 * every time. Long files, and those that check a whole process, have one each.
 */
function together (files) {
  const isShared = (path) => kindOf(path) !== 'long' && !alone.has(path)
  const groups = Object.entries(mostTogether).flatMap(([kind, most]) => {
    const paths = files.filter((path) => kindOf(path) === kind && isShared(path)).toSorted()
    const parts = Math.ceil(paths.length / most)
    const cutAt = (part) => Math.round(part * paths.length / parts)
    return Array.from({ length: parts }, (_, part) => paths.slice(cutAt(part), cutAt(part + 1)))
  })
  return [...groups, ...files.filter((path) => !isShared(path)).map((path) => [path])]
}

function readTaken () {
  try {
    return JSON.parse(readFileSync(remembered, 'utf8'))
  } catch {
    return {}
  }
}

/**
 * Runs files in one process and reports each. A file passed if the process said so at its end; if the process ended before that, the file
 * that was running is at fault, and those after it are returned.
 */
async function runFiles (paths, report) {
  const beganAt = performance.now()
  const isMeasured = paths.some((path) => measuring.has(path))
  const [program, ...args] = [...place, process.execPath, ...isMeasured ? [] : engine, '.build/test/support/several.js']
  const child = spawn(program, args, {
    env: {
      ...process.env,
      ...isMeasured ? {} : memory,
      TEST_TIMEOUT_S: String(timeoutS),
      TMPDIR: scratch,
      TEST_FILES: paths.join(' '),
      ...isAll || named.length > 0 ? { TEST_LONG: '1' } : {}
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own group, so that processes that a test has started and not ended can be ended with it.
    detached: true
  })
  running.add(child)
  // By then the process itself should have reported what it was waiting for.
  const kill = () => endGroup(child, 'SIGKILL')
  let timer = setTimeout(kill, (timeoutS + 30) * 1_000)
  let output = ''
  let problems = ''
  const waiting = [...paths]
  let isEnough = false
  child.stderr.setEncoding('utf8').on('data', (text) => { problems += text })
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
    for (let said = /^# file (\{.*\})\n/m.exec(output); said !== null; said = /^# file (\{.*\})\n/m.exec(output)) {
      const { path, isGood, isLast, ...result } = JSON.parse(said[1])
      const before = output.slice(0, said.index)
      report(path, { ...result, isGood, costly: before.match(/^# \d+\.\d s of CPU: .*$/gm) ?? [], output: isGood ? '' : `${before}${problems}` })
      cpuOfFiles += result.cpu
      waiting.shift()
      isEnough = isLast
      output = output.slice(said.index + said[0].length)
      problems = ''
      clearTimeout(timer)
      timer = setTimeout(kill, (timeoutS + 90) * 1_000)
    }
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
  spend(`${kindOf(paths[0])} files`, cpuOfFiles)
  spend('processes of tests, beside their files', Math.max(0, cpu - cpuOfFiles))
  if (isEnough || (waiting.length === 0 && ending === 0)) return waiting
  const [path, ...missing] = waiting.length > 0 ? waiting : paths.slice(-1)
  report(path, {
    isGood: false, counts: {}, costly: [], seconds: (performance.now() - beganAt) / 1_000, cpu, output: `${output}${problems}Ended with ${ending}\n`
  })
  return missing
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
