import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asset } from '../services/ground/assets.js'
import { startNats } from '../test/support/nats.js'
import { type Bench } from './context.js'
import { processorMs, startEndpoint, startService, type Service } from './processes.js'
import { median, percentile, type Report } from './report.js'
import { hearDirectly, hearTurn, newSessions, rateOf, storedAnswer, type Heard } from './turns.js'
import { call } from './wire.js'

const names = ['one', 'two']
const tokensPerSecond = 50
const entries = 5_000

/**
 * Measures turns on two other machines, over a nats-server on this one, against the same turns in the service's agent
 * process; and a listing.
 */
export async function machineRows ({ home: _, report, quick, ...bench }: Bench): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'bench-machines-'))
  const ends: Array<() => unknown> = [() => rmSync(home, { recursive: true, force: true, maxRetries: 5 })]
  try {
    const nats = await startNats({ teardown: (end) => ends.push(end), fail: console.error })
    const endpoint = await startEndpoint(tokensPerSecond)
    ends.push(() => endpoint.stop())
    const service = await startService({
      ...bench, home: join(home, 'service'), modelUrl: endpoint.url, variables: { SVC_NATS_URL: nats.url }
    })
    ends.push(async () => await service.stop())
    const machines = names.map((name) => startMachine(join(home, name), name, nats.url, endpoint.url))
    ends.push(async () => await Promise.all(machines.map(stop)))
    await haveJoined(service)

    const workspaces = names.map((name) => `${name}:${folderOf(join(home, name))}`)
    for (const workspace of [undefined, ...workspaces]) await hearIn(service, [workspace], 1, 5)
    for (const count of [1, 20, 100]) {
      await turnRows({
        report, quick, service, workspaces, endpointUrl: endpoint.url, pids: [service.pid, ...machines.map(({ pid }) => pid!)]
      }, count)
    }
    await listingRows(report, service, workspaces[0]!, folderOf(join(home, names[0]!)))
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

interface TurnContext { report: Report, quick: boolean, service: Service, workspaces: string[], endpointUrl: string, pids: number[] }

async function turnRows ({ report, quick, service, workspaces, endpointUrl, pids }: TurnContext, count: number): Promise<void> {
  const words = (quick ? 2 : 6) * tokensPerSecond
  const direct = await Promise.all(Array.from({ length: count }, async () => await hearDirectly(endpointUrl, `words=${words}`)))
  const { heard: near } = await hearIn(service, [undefined], count, words)
  const spent = (): number => pids.reduce((sum, pid) => sum + processorMs(pid), 0)
  const before = spent()
  const { ids, heard: far } = await hearIn(service, workspaces, count, words)
  const spentMs = spent() - before
  const delays = (all: Heard[]): number[] => all.flatMap(({ delaysMs }) => delaysMs)
  const name = count === 1 ? 'one turn on another machine' : `${count} turns on two machines`
  // Promised only for a machine that is not busy.
  for (const [label, share, most] of [['p50', 0.5, 3], ['p99', 0.99, 15]] as const) {
    const bare = percentile(delays(near), share)
    report.add({
      measure: `${name}: delay per token over the service's own process, ${label}`, value: percentile(delays(far), share) - bare,
      unit: 'ms', bare, bareUnit: 'ms here', promise: count === 100 ? undefined : { most }
    })
  }
  report.add({
    measure: `${name}: delivered`, value: rateOf(far), unit: '/s', bare: rateOf(direct),
    note: `${Math.round(rateOf(near))}/s by the service's own process`, promise: { least: rateOf(direct) * 0.95 }
  })
  const tokens = delays(far).length
  const stored = await Promise.all(ids.map(async (id) => await storedAnswer(service.url, id)))
  const differing = far.filter(({ text, end }, index) => text !== stored[index] || end !== 'stream_end').length
  report.add({
    measure: `${name}: tokens lost or doubled`,
    value: Math.abs(count * words - tokens) + far.reduce((sum, { misplaced }) => sum + misplaced, 0) + differing, unit: '',
    promise: { most: 0 }, note: `${tokens} of ${count * words}; ${differing} transcripts differ`
  })
  report.add({
    measure: `${name}: processor per token, service and machines without their agent processes`, value: spentMs / tokens, unit: 'ms'
  })
}

/** Runs `count` turns at once, alternating between the workspaces. */
async function hearIn (service: Service, workspaces: Array<string | undefined>, count: number, words: number) {
  const ids = (await Promise.all(Array.from({ length: count }, async (_, index) =>
    await newSessions(service.url, 1, workspaces[index % workspaces.length])))).flat()
  return { ids, heard: await Promise.all(ids.map(async (id) => await hearTurn(service.url, id, `words=${words}`))) }
}

async function listingRows (report: Report, service: Service, workspace: string, folder: string): Promise<void> {
  for (let index = 0; index < entries; index++) writeFileSync(join(folder, `file-${index}.txt`), 'x')
  const [near, far] = await Promise.all([folder, workspace].map(async (place) => (await newSessions(service.url, 1, place))[0]!))
  const list = async (id: string): Promise<number> => {
    const beganMs = performance.now()
    const { status, body } = await call(`${service.url}/api/list?session_id=${id}&path=.`)
    if (status !== 200 || body.entries.length !== entries) {
      throw new Error(`a listing answered ${status} with ${body.entries?.length} entries`)
    }
    return performance.now() - beganMs
  }
  for (const isChanged of [true, false]) {
    const times: Record<'near' | 'far', number[]> = { near: [], far: [] }
    for (let round = 0; round < 25; round++) {
      for (const [where, id] of [['near', near], ['far', far]] as const) {
        if (isChanged) writeFileSync(join(folder, 'file-0.txt'), `${where} ${round}`)
        const tookMs = await list(id!)
        if (round >= 5) times[where].push(tookMs)
      }
    }
    report.add({
      measure: `list of ${entries} entries on another machine, ${isChanged ? 'one of them changed' : 'unchanged'}, p50`,
      value: median(times.far), unit: 'ms', bare: median(times.near), promise: { most: median(times.near) * 1.3 },
      note: 'bare: the same folder by the service'
    })
  }
}

function startMachine (home: string, name: string, natsUrl: string, modelUrl: string): ChildProcess {
  mkdirSync(folderOf(home), { recursive: true })
  return spawn(process.execPath, [
    asset('dist/machine/main.js'), '--nats', natsUrl, '--name', name, '--workspaces', folderOf(home), '--home', home
  ], {
    env: { PATH: process.env.PATH, HOME: home, OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: modelUrl },
    stdio: ['ignore', 'ignore', 'inherit']
  })
}

const folderOf = (home: string): string => join(home, 'work')

async function haveJoined ({ url }: Service): Promise<void> {
  for (;;) {
    const { hosts } = (await call(`${url}/api/hosts`)).body as { hosts: Array<{ name: string | null, state: string }> }
    if (names.every((name) => hosts.some((machine) => machine.name === name && machine.state === 'ready'))) return
    await delay(50)
  }
}

async function stop (child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
