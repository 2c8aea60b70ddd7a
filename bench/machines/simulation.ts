import { DeliverPolicy } from '@nats-io/jetstream'
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openLink, type NatsLink } from '../../services/ground/nats/link.js'
import { setUp } from '../../services/ground/nats/setup.js'
import { readOptions } from '../options.js'
import { type SimulationReport, type SimulationTask } from './simulated.js'

// How far one nats-server scales: many machines that send the output of many turns, at the pace of models, and one service that reads all
// of it. No model and no database takes part; the groups `turns` and `tokens` measure their cost.

const values = readOptions({
  command: 'npx tsx bench/machines/simulation.ts', does: 'Measures how many machines and turns one nats-server can serve.'
}, {
  machines: { type: 'string', value: 'n', says: 'machines', default: '50' },
  turns: { type: 'string', value: 'n,…', says: 'turns at once', default: '100,250,500,1000' },
  pace: { type: 'string', value: 'n', says: 'text tokens per second of one turn', default: '30' },
  seconds: { type: 'string', value: 'n', says: 'how long each step takes', default: '10' },
  port: { type: 'string', value: 'n', says: 'port of the nats-server', default: '4777' }
})
const [machines, pace, seconds, port] = [values.machines, values.pace, values.seconds, values.port].map(
  Number
) as [number, number, number, number]
const profile = 'default'
const ticksPerSecond = 100

interface Step {
  turns: number
  said: number
  heard: number
  p50: number
  p99: number
  worst: number
  cpu: Record<'server' | 'machines' | 'service', number>
  serverMib: number
  perSecondMib: number
}

const folder = mkdtempSync(join(tmpdir(), 'machines-simulation-'))
const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder], { stdio: 'ignore' })
const children: ChildProcess[] = []
try {
  await delay(1_000)
  const link = await openLink({ urls: [`nats://127.0.0.1:${port}`], prefix: 'agents', inbox: '_INBOX', name: 'service' })
  await setUp(link, { runsMb: 8_192, objectsMb: 16 })
  console.log(`${machines} machines, ${pace} pieces a second and turn, ${seconds} s each\n`)
  console.log('turns | said/s | heard/s | p50 ms | p99 ms | worst ms | server cpu | service cpu | machines cpu | server MiB | stream MiB/s')
  for (const turns of values.turns.split(',').map(Number)) print(await step(link, turns))
  await link.close()
} finally {
  for (const child of children) child.kill('SIGKILL')
  server.kill('SIGKILL')
  await once(server, 'exit')
  rmSync(folder, { recursive: true, force: true })
}

async function step (link: NatsLink, turns: number): Promise<Step> {
  const { jsm, js, subjects } = link
  await jsm.streams.purge(subjects.runs)
  const lags: number[] = []
  let heard = 0
  const consumers = await Promise.all(Array.from({ length: machines }, async (_, index) => {
    const consumer = await js.consumers.get(subjects.runs, {
      filter_subjects: subjects.allFrom(nameOf(index), profile), deliver_policy: DeliverPolicy.New
    })
    return await consumer.consume({
      callback (message) {
        const { sentMs, batches } = message.json<{ sentMs: number, batches: Array<{ events: unknown[] }> }>()
        heard += batches.reduce((count, { events }) => count + events.length, 0)
        lags.push(Date.now() - sentMs)
      }
    })
  }))
  const before = { server: cpuOf(server.pid!), service: process.cpuUsage(), bytes: (await jsm.streams.info(subjects.runs)).state.bytes }
  const report = await say({ port, machines, turns, pace, seconds, ticksPerSecond })
  await delay(1_000)
  const used = process.cpuUsage(before.service)
  const { bytes } = (await jsm.streams.info(subjects.runs)).state
  const cpu = {
    server: (cpuOf(server.pid!) - before.server) / report.elapsedS, service: (used.user + used.system) / 1e6 / report.elapsedS,
    machines: report.cpuS / report.elapsedS
  }
  for (const consumer of consumers) await consumer.close()
  lags.sort((a, b) => a - b)
  const at = (part: number): number => lags[Math.min(lags.length - 1, Math.floor(lags.length * part))] ?? NaN
  return {
    turns, said: report.said / report.elapsedS, heard: heard / report.elapsedS, p50: at(0.5), p99: at(0.99), worst: at(1), cpu,
    serverMib: residentMib(server.pid!), perSecondMib: (bytes - before.bytes) / 1_048_576 / report.elapsedS
  }
}

async function say (task: SimulationTask): Promise<SimulationReport> {
  const child = fork(new URL('./simulated.ts', import.meta.url), { execArgv: process.execArgv })
  children.push(child)
  child.send(task)
  const [report] = await once(child, 'message') as [SimulationReport]
  child.kill()
  return report
}

function nameOf (index: number): string {
  return `host-${index}`
}

/** Returns the CPU seconds of a process and its threads so far. */
function cpuOf (pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function residentMib (pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}

function print ({ turns, said, heard, p50, p99, worst, cpu, serverMib, perSecondMib }: Step): void {
  const part = (value: number): string => `${Math.round(value * 100)} %`
  console.log([
    turns, Math.round(said), Math.round(heard), p50, p99, worst, part(cpu.server), part(cpu.service), part(cpu.machines),
    Math.round(serverMib), perSecondMib.toFixed(1)
  ].join(' | '))
}
