import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive } from '../processes.js'
import { type Random } from '../torture/random.js'
import { createCoverage, type Coverage } from './coverage.js'
import { operationsOf, type OpenApi, type Operation } from './document.js'
import { type Findings } from './findings.js'
import { createJudge } from './judge.js'
import { createPool, type Pool } from './pool.js'
import { readBackOf } from './read-back.js'
import { provokeAll } from './provoke.js'
import { makeRequest, type Made } from './requests.js'
import { openStage, plantedSecrets, type Stage } from './stage.js'
import { createValues } from './values.js'
import { exchange, type Outcome, type Sent } from './wire.js'

/** How many requests a service gets before a new one is started: by then, their effects make most other requests fail. */
const requestsPerService = 2_500
/** After how many requests deleted sessions and files are created again. */
const tendedEvery = 40
const pauseLimitMs = 100
const memoryLimitMib = 128
/** Scopes of the senders, by frequency; null: no credentials. */
const senders = [...Array<string>(10).fill('person'), 'admin', 'admin', 'admin', 'approve', 'approve', 'chat', 'chat', 'read', null]
/** Operations that end other senders' access, or the service: sent rarely. */
const rare = /^POST \/api\/(?:auth\/|updates\/|settings|profile\/)/

export interface ServiceOptions {
  random: Random
  folder: string
  untilMs: number
  findings: Findings
  entry?: string
  tell: (text: string) => void
}

/**
 * Sends requests to one service after the other until the time is over, and judges the answers. Resolves to null if no request was sent.
 */
export async function fuzzService (
  { random, folder, untilMs, findings, entry, tell }: ServiceOptions
): Promise<{ coverage: Coverage, requests: number } | null> {
  let coverage: Coverage | null = null
  let requests = 0
  /** What every route is asked once under each scope before requests are chosen by chance. */
  let sweep: Sweep | null = null
  for (let number = 1; performance.now() < untilMs; number++) {
    const home = join(folder, `service-${number}`)
    const own = random.branch(`service ${number}`)
    const pool = createPool(own.branch('pool'))
    const stage = await openStage(home, pool, entry)
    try {
      const document = JSON.parse((await stage.ask('GET', '/docs/json')).text) as OpenApi
      const operations = operationsOf(document)
      coverage ??= createCoverage(document, operations)
      sweep ??= sweepOf(operations)
      const round = createRound({ stage, random: own, pool, document, operations, coverage, findings })
      if (number === 1) requests += await round.provoke()
      requests += await round.run(untilMs, sweep)
      tell(`service ${number}: ${requests} requests so far, ${Math.round(coverage.wellShare() * 100)} % answered well`)
    } finally {
      await stage.end()
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  }
  return coverage === null ? null : { coverage, requests }
}

type Sweep = Array<[operation: Operation, scope: string | null]>
const everySender = [null, 'read', 'chat', 'approve', 'admin', 'person'] as const

/** Returns every route with every sender; those that end access or the service come last. */
function sweepOf (operations: Operation[]): Sweep {
  const ordered = [...operations.filter(({ name }) => !rare.test(name)), ...operations.filter(({ name }) => rare.test(name))]
  return ordered.flatMap((operation) => everySender.map((scope): Sweep[number] => [operation, scope]))
}

interface RoundOptions {
  stage: Stage, random: Random, pool: Pool, document: OpenApi, operations: Operation[], coverage: Coverage, findings: Findings
}

/** Sends the requests to one service. */
function createRound ({ stage, random, pool, document, operations, coverage, findings }: RoundOptions) {
  const values = createValues(random, pool, document)
  const judge = createJudge({ document, secrets: plantedSecrets, folders: [stage.folder, process.cwd()] })
  const common = operations.filter(({ name }) => !rare.test(name))

  const lessReached = (first: Operation, second: Operation): Operation => coverage.wellOf(first) <= coverage.wellOf(second) ? first : second

  /** Sends the next request of the sweep, or one by chance. */
  async function one (next: Sweep[number] | undefined): Promise<void> {
    const [operation, scope] = next ??
      [lessReached(random.pick(random.chance(0.9) ? common : operations), random.pick(common)), random.pick(senders)]
    const made = makeRequest(operation, { random, pool, values }, next !== undefined)
    await send(operation, scope, made, next === undefined && random.chance(0.03) ? 4 : 1)
  }

  async function send (operation: Operation, scope: string | null, made: Made, times: number): Promise<void> {
    const sent = { ...made.sent, headers: [...made.sent.headers, ...stage.credentials(scope)] }
    const place = operation.name
    const cause = written(sent, scope)
    const found = (kind: string, text: string): void => findings.add({ kind, place, text, cause })
    // The same request several times at once, as impatient people and retrying clients send it.
    const outcomes = await Promise.all(Array.from({ length: times }, async () => await exchange(stage.port, sent)))
    for (const outcome of outcomes) await judged(operation, made, outcome, scope, found)
    watched(found)
  }

  /** Judges what the service did besides answering since the last call. */
  function watched (found: (kind: string, text: string) => void): void {
    for (const { pauseMs = 0, uncaught } of stage.watched()) {
      if (pauseMs > pauseLimitMs) found('pause of the event loop', `${pauseMs} ms of processor time`)
      if (uncaught !== undefined) found('nobody caught it', uncaught)
    }
    for (const line of stage.printed().split('\n')) if (/"level":(?:50|60)|Warning:/.test(line)) found('an error in the log', line)
    if (!isAlive(stage.service.pid)) found('the service ended', stage.printed())
  }

  async function judged (
    operation: Operation, made: Made, outcome: Outcome, scope: string | null, found: (kind: string, text: string) => void
  ): Promise<void> {
    if (typeof outcome === 'string') {
      if (outcome === 'hung') found('no answer', 'within 30 s')
      coverage.note(operation, outcome, null)
      return
    }
    const { problems, body, code } = judge.judge(operation, made, outcome, scope)
    coverage.note(operation, `${Math.floor(outcome.status / 100)}xx`, code)
    coverage.noteAnswer(operation, scope, outcome.status)
    for (const { kind, text } of problems) found(kind, text)
    if (outcome.status === 401 && scope !== null) await stage.renew(scope)
    if (outcome.status === 404) pool.drop(made.named)
    if (outcome.status >= 400 || !made.isSameRoute) return
    pool.harvest(operation.area, body)
    const readBack = outcome.status === 200 ? readBackOf(operation.name, made.meant, body) : null
    if (readBack === null) return
    const { status, text } = await stage.ask('GET', readBack.path)
    const holds = status === 200 && readBack.holds(text)
    if (!holds) found('acknowledged and not there', `${readBack.path} is answered ${status}: ${text.slice(0, 600)}`)
  }

  /** Returns the used memory after a garbage collection, in MiB. */
  async function used (): Promise<number> {
    process.kill(stage.service.pid, 'SIGWINCH')
    for (let tries = 0; tries < 500; tries++) {
      const told = stage.watched().findLast(({ usedMib }) => usedMib !== undefined)
      if (told?.usedMib !== undefined) return told.usedMib
      await delay(10)
    }
    throw new Error('the watched service did not tell what it uses')
  }

  return {
    /** Provokes the refusals that need a state of their own. Resolves to the number of requests. */
    async provoke (): Promise<number> {
      let count = 0
      const keeper = async (operation: Operation, body: Record<string, unknown>): Promise<string | null> => {
        count++
        const outcome = await exchange(stage.port, {
          method: operation.method, target: operation.path, framing: 'length', body: Buffer.from(JSON.stringify(body)),
          headers: [['Host', '127.0.0.1'], ['Content-Type', 'application/json'], ...stage.credentials('person')]
        })
        const made: Made = {
          sent: { method: operation.method, target: operation.path, headers: [], body: Buffer.from(JSON.stringify(body)), framing: 'length' },
          isSameRoute: true, meant: null, named: []
        }
        if (typeof outcome === 'string') return outcome
        const { problems, code } = judge.judge(operation, made, outcome, 'person')
        coverage.note(operation, `${Math.floor(outcome.status / 100)}xx`, code)
        coverage.noteAnswer(operation, 'person', outcome.status)
        const cause = JSON.stringify(body).slice(0, 500)
        const found = (kind: string, text: string): void => findings.add({ kind, place: operation.name, text, cause })
        for (const { kind, text } of problems) found(kind, text)
        watched(found)
        return code ?? String(outcome.status)
      }
      await provokeAll({ stage, operations, send: keeper, findings })
      return count
    },
    /** Takes what it sends from the front of `sweep`. Resolves to the number of requests. */
    async run (untilMs: number, sweep: Sweep): Promise<number> {
      const sizes: number[] = []
      let count = 0
      while (count < requestsPerService && performance.now() < untilMs && isAlive(stage.service.pid)) {
        if (count % tendedEvery === 0) await stage.tend()
        await one(sweep.shift())
        count++
        if (count % (requestsPerService / 5) === 0 && isAlive(stage.service.pid)) sizes.push(await used())
      }
      // Caches fill up at first. Memory that grows from check to check afterwards has no bound.
      const [first = 0, ...later] = sizes
      const last = later.at(-1) ?? first
      if (last - first > memoryLimitMib) findings.add({ kind: 'memory grows', place: 'the service', text: sizes.map((mib) => `${Math.round(mib)} MiB`).join(', '), cause: `${count} requests` })
      return count
    }
  }
}

/** Returns a request in readable form, for a finding; bytes that are not text are escaped. */
function written ({ method, target, headers, body, framing }: Sent, scope: string | null): string {
  const told = headers.filter(([name]) => name !== 'Authorization' && name !== 'Cookie').map(([name, value]) => `${name}: ${JSON.stringify(value.slice(0, 200))}`)
  return `${scope ?? 'nobody'}: ${method} ${target} {${told.join(', ')}} ${framing} ${body === null ? '' : JSON.stringify(body.toString())}`
}
