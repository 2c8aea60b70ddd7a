// The module `#test` of test files: nested tests, one after the other, with assertions and teardowns. test/support/several.ts runs files
// with it. An uncaught error ends the process, as it does in a service.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { inspect, isDeepStrictEqual } from 'node:util'
import { difference, likened, type Manner } from './comparing.js'

export interface Options {
  /** true, or the reason, if the test cannot be run. */
  skip?: string | boolean
  /** For tests that rarely fail alone: run by `npm run test:all`, and if their file is named. */
  long?: boolean
}

export interface Counts { total: number, pass: number, fail: number, skip: number, long: number }

/** Contents of a folder, by name. */
export interface Folder { [name: string]: string | Uint8Array | Folder }

type Body = (t: Test) => unknown
type Class = abstract new (...args: never[]) => unknown

/** Where folders of tests are created; removed with the compiled tests. */
const folders = resolve('.build/folders')
const running = new Set<Test>()
const anythingElse = 'anything else'

export class Test {
  /** How many of its nested tests run at once. */
  jobs = 1
  isGood = true
  readonly counts: Counts
  readonly #waiting: Array<() => Promise<void>> = []
  readonly #pending = new Set<Promise<unknown>>()
  readonly #teardowns: Array<() => unknown> = []
  readonly #beforeEach: Body[] = []
  #atWork = 0
  #hasFolder = false
  #isOver = false
  #isStopped = false
  #timer: NodeJS.Timeout | undefined

  constructor (readonly name: string, readonly parent: Test | null = null) {
    this.counts = parent?.counts ?? { total: 0, pass: 0, fail: 0, skip: 0, long: 0 }
  }

  /** Runs a nested test after those before it. Resolves, when it is over, to whether it passed. */
  test (name: string, body: Body): Promise<boolean>
  test (name: string, options: Options, body: Body): Promise<boolean>
  test (name: string, ...[first, second]: [Body] | [Options, Body]): Promise<boolean> {
    const options = typeof first === 'function' ? {} : first
    const body = typeof first === 'function' ? first : second!
    const { skip = false } = options
    return this.#queue(async () => {
      if (options.long === true && process.env.TEST_LONG !== '1') {
        this.counts.long += 1
        return this.isGood
      }
      if (skip !== false) this.#skip(typeof skip === 'string' ? `${name}: ${skip}` : name)
      if (skip !== false || this.#isStopped) return this.isGood
      const before = cpuSeconds()
      const asserted = this.counts.total
      const isGood = await new Test(name, this).run(body)
      // A property makes its assertions by throwing.
      if (this.counts.total === asserted) this.pass(name)
      const took = cpuSeconds() - before
      if (this.parent === null && took > 0.5) this.comment(`${took.toFixed(1)} s of CPU: ${name}`)
      return isGood
    })
  }

  /** Runs before the tests that follow; if it fails, they are not run. */
  before (prepare: () => unknown): void {
    void this.#queue(async () => {
      try {
        await prepare()
      } catch (error) {
        this.#isStopped = true
        this.#threw(error)
      }
    })
  }

  /** Runs before each nested test, at every level. */
  beforeEach (prepare: Body): void {
    this.#beforeEach.push(prepare)
  }

  /** Runs when the test is over, however it ended; the last one registered runs first. */
  teardown (undo: () => unknown): void {
    this.#teardowns.push(undo)
  }

  /** Fails the test, and ends the process, if it is not over by then. */
  setTimeout (timeoutMs: number): void {
    clearTimeout(this.#timer)
    if (timeoutMs === 0) return
    this.#timer = setTimeout(() => {
      this.fail(`not over after ${timeoutMs / 1_000} s; running: ${unfinished()}; waiting for: ${process.getActiveResourcesInfo().join(', ')}`)
      process.exit(1)
    }, timeoutMs)
    this.#timer.unref()
  }

  comment (text: string): void {
    console.log(`# ${text}`)
  }

  /** Creates a folder, empty or with these files. It is removed at the end of the test. */
  testdir (content: Folder = {}): string {
    const folder = this.testdirName
    rmSync(folder, { recursive: true, force: true })
    fill(folder, content)
    this.#hasFolder = true
    return folder
  }

  get testdirName (): string {
    return join(folders, this.#path().join('-').replaceAll(/[^\w.-]+/g, '-'))
  }

  pass (message = 'passed'): true {
    return this.#say(true, message)
  }

  fail (message = 'failed'): false {
    return this.#say(false, message)
  }

  ok (found: unknown, message = 'is truthy'): boolean {
    return this.#say(Boolean(found), message, () => difference(found, true))
  }

  notOk (found: unknown, message = 'is not truthy'): boolean {
    return this.#say(!Boolean(found), message, () => difference(found, false)) // eslint-disable-line no-extra-boolean-cast -- the value is anything
  }

  equal (found: unknown, wanted: unknown, message = 'is equal'): boolean {
    return this.#say(found === wanted, message, () => difference(found, wanted))
  }

  not (found: unknown, unwanted: unknown, message = 'is not equal'): boolean {
    return this.#say(found !== unwanted, message, () => difference(found, anythingElse))
  }

  same (found: unknown, wanted: unknown, message = 'is the same'): boolean {
    return this.#compare(found, wanted, 'same', message)
  }

  notSame (found: unknown, unwanted: unknown, message = 'is not the same'): boolean {
    return this.#say(!Object.is(likened(found, unwanted, 'same'), unwanted), message, () => difference(found, anythingElse))
  }

  strictSame (found: unknown, wanted: unknown, message = 'is strictly the same'): boolean {
    return this.#say(isDeepStrictEqual(found, wanted), message, () => difference(found, wanted))
  }

  match (found: unknown, pattern: unknown, message = 'matches'): boolean {
    return this.#compare(found, pattern, 'match', message)
  }

  notMatch (found: unknown, pattern: unknown, message = 'does not match'): boolean {
    return this.#say(!Object.is(likened(found, pattern, 'match'), pattern), message, () => difference(found, { not: pattern }))
  }

  type (found: unknown, type: string | Class, message = `is a ${typeof type === 'string' ? type : type.name}`): boolean {
    return this.#say(typeof type === 'string' ? String(typeof found) === type : found instanceof type, message, () => difference(found, type))
  }

  /** Whether it throws an error that matches the pattern; an expression is matched against the error's message. */
  throws (action: () => unknown, ...expected: Expected): boolean {
    const { pattern, message } = read(expected, 'throws')
    try {
      action()
    } catch (error) {
      return this.#matchError(error, pattern, message)
    }
    return this.fail(message)
  }

  doesNotThrow (action: () => unknown, message = 'does not throw'): boolean {
    try {
      action()
    } catch (error) {
      return this.#say(false, message, () => difference(error, 'no error'))
    }
    return this.pass(message)
  }

  /** Like `throws`, for a promise. The test waits for it. Resolves to the error. */
  async rejects (action: Promise<unknown> | (() => Promise<unknown>), ...expected: Expected): Promise<unknown> {
    const { pattern, message } = read(expected, 'rejects')
    const outcome = await this.#track(settle(action))
    return 'error' in outcome ? this.#matchError(outcome.error, pattern, message) && outcome.error : this.fail(message)
  }

  async resolves (action: Promise<unknown> | (() => Promise<unknown>), message = 'resolves'): Promise<boolean> {
    const outcome = await this.#track(settle(action))
    return this.#say(!('error' in outcome), message, () => difference('error' in outcome && outcome.error, 'no error'))
  }

  /** Runs the test itself; only its creator calls this. */
  async run (body: Body, timeoutMs = 0): Promise<boolean> {
    running.add(this)
    this.setTimeout(timeoutMs)
    try {
      for (const above of this.#line().slice(0, -1)) for (const prepare of above.#beforeEach) await prepare(this)
      await body(this)
    } catch (error) {
      this.#threw(error)
    }
    while (this.#pending.size > 0) await Promise.race(this.#pending)
    for (const undo of this.#teardowns.toReversed()) {
      try {
        await undo()
      } catch (error) {
        this.#threw(error)
      }
    }
    if (this.#hasFolder) rmSync(this.testdirName, { recursive: true, force: true })
    clearTimeout(this.#timer)
    this.#isOver = true
    running.delete(this)
    return this.isGood
  }

  async #queue<Result> (action: () => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#waiting.push(async () => { await action().then(resolve, reject) })
    void this.#track(promise)
    this.#next()
    return await promise
  }

  #next (): void {
    while (this.#atWork < this.jobs && this.#waiting.length > 0) {
      this.#atWork += 1
      void this.#waiting.shift()!().finally(() => {
        this.#atWork -= 1
        this.#next()
      })
    }
  }

  #track<Value> (promise: Promise<Value>): Promise<Value> {
    const over = promise.then(() => {}, () => {}).then(() => { this.#pending.delete(over) })
    this.#pending.add(over)
    return promise
  }

  #compare (found: unknown, wanted: unknown, manner: Manner, message: string): boolean {
    const shown = likened(found, wanted, manner)
    return this.#say(Object.is(shown, wanted), message, () => difference(shown, wanted))
  }

  #matchError (error: unknown, pattern: unknown, message: string): boolean {
    if (pattern === undefined) return this.pass(message)
    return this.#compare(pattern instanceof RegExp ? (error as Error).message : error, pattern, 'match', message)
  }

  #say<Good extends boolean> (isGood: Good, message: string, account: () => string = () => ''): Good {
    this.counts.total += 1
    this.counts[isGood ? 'pass' : 'fail'] += 1
    if (!isGood) this.#fail(message, `${where()}${account()}`)
    else if (this.#isOver) this.#fail(message, `  asserted after the end of the test${where()}`)
    return isGood
  }

  #threw (error: unknown): void {
    this.counts.total += 1
    this.counts.fail += 1
    this.#fail('threw', `  ${asWritten(inspect(error)).replaceAll('\n', '\n  ')}\n`)
  }

  #fail (message: string, account: string): void {
    for (const test of this.#line()) test.isGood = false
    if (this.#isOver || this.#line()[0] === alone) process.exitCode = 1
    console.log(`NOT OK ${this.#line().slice(1).map(({ name }) => `${name} > `).join('')}${message}\n${account}`)
  }

  #skip (message: string): void {
    this.counts.total += 1
    this.counts.skip += 1
    this.comment(`skipped: ${message}`)
  }

  /** Returns the tests from the file down to this one. */
  #line (): Test[] {
    return this.parent === null ? [this] : [...this.parent.#line(), this]
  }

  #path (): string[] {
    return this.#line().map(({ name }) => name)
  }
}

type Expected = [pattern?: unknown, message?: string]

function read ([pattern, message]: Expected, usual: string): { pattern: unknown, message: string } {
  return typeof pattern === 'string' ? { pattern: undefined, message: pattern } : { pattern, message: message ?? usual }
}

async function settle (action: Promise<unknown> | (() => Promise<unknown>)): Promise<{ value: unknown } | { error: unknown }> {
  try {
    return { value: await (typeof action === 'function' ? action() : action) }
  } catch (error) {
    return { error }
  }
}

function fill (folder: string, content: Folder): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, value] of Object.entries(content)) {
    const path = join(folder, name)
    if (typeof value !== 'string' && !(value instanceof Uint8Array)) fill(path, value)
    else {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, value)
    }
  }
}

/** Returns the source line of the calling test. */
function where (): string {
  const frames = asWritten(new Error().stack ?? '').split('\n').slice(1)
  const frame = frames.find((line) => /\/test\//.test(line) && !/support\/(?:harness|comparing)\.ts/.test(line))
  return frame === undefined ? '' : `  ${frame.trim()}\n`
}

/** Returns a stack with its places in the sources instead of in the bundles. */
export function asWritten (stack: string): string {
  return stack.replaceAll(/(?:file:\/\/)?(\/[^\s():]+\.js):(\d+):(\d+)/g, (place, file: string, line: string, column: string) => {
    if (!existsSync(`${file}.map`)) return place
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload)
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1)
    if (!('originalSource' in entry)) return place
    return `${resolve(dirname(file), entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  })
}

/** Returns the CPU seconds of this process and of its children that have ended; 0 without /proc. */
export function cpuSeconds (): number {
  try {
    return readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /, '').split(' ').slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
  } catch {
    return 0
  }
}

/** Returns the names of tests that have begun and are not over. */
export const unfinished = (): string => [...running].map(({ name }) => name).join(' > ')

/** The file that is running if it was started without test/support/several.ts. */
const alone = new Test('nothing')
let current = alone

/** Makes `file` the `t` of the module. */
export function hold (file: Test): void {
  current = file
}

/** The file that is running. */
export default new Proxy(alone, {
  get (_, name) {
    const value: unknown = Reflect.get(current, name, current)
    return typeof value === 'function' ? value.bind(current) as unknown : value
  },
  set: (_, name, value) => Reflect.set(current, name, value, current)
})
