import { headers } from '@nats-io/nats-core'
import { join } from 'node:path'
import t from '#test'
import { createBridge, type BridgeOptions } from '../../machine/bridge.js'
import { forkTransport, openNatsTransport, type HostConnection, type HostTransport } from '../../services/agent/index.js'
import { instanceHeader } from '../../services/agent/machine-messages.js'
import { type RunSpec } from '../../services/agent/protocol.js'
import { inprocTransport } from '../../services/agent/runtime/inproc.js'
import { asset } from '../../services/ground/assets.js'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { setUp, setUpObjects } from '../../services/ground/nats/setup.js'
import { asideConform } from '../support/conformance/aside.js'
import { controlsConform } from '../support/conformance/controls.js'
import { eventsConform } from '../support/conformance/events.js'
import { arrived, bench, textOf, type HostPlace, type OpenTransport } from '../support/conformance/harness.js'
import { livesConform } from '../support/conformance/lives.js'
import { requestsConform } from '../support/conformance/requests.js'
import { eventually, gate, held } from '../support/chat.js'
import { startNats, type NatsServer } from '../support/nats.js'
import { needs } from '../support/programs.js'

const limits = { runsMb: 64, objectsMb: 64 }
const instance = 'the only one'
const done = { t: 'end', state: 'done' }
let prefixes = 0

interface JoinedMachine {
  open: OpenTransport
  /** The service's link. */
  link: () => NatsLink
  /** Host processes in the order of their start. */
  processes: HostConnection[]
}

type Hosts = (place: HostPlace) => HostTransport
const inThisProcess: Hosts = ({ folder, env }) => inprocTransport({ profileHome: () => join(folder, 'home'), serviceRoots: [join(folder, 'state')], env, timing: { retryBaseMs: 5 } })
const children: Hosts = ({ folder, env }) => forkTransport({
  profileHome: () => join(folder, 'home'), serviceRoots: [join(folder, 'state')], stateDir: join(folder, 'state'), env, timing: { retryBaseMs: 5 }, entry: asset('dist/services/agent/host/main.js')
})

/** Creates a machine called `big` that has joined, with its own prefix, because many share a server. */
function machineOn (nats: NatsServer, hosts: Hosts, more: Partial<BridgeOptions> = {}): JoinedMachine {
  let link: NatsLink
  const processes: HostConnection[] = []
  async function open (place: HostPlace): ReturnType<OpenTransport & ((place: HostPlace) => Promise<HostTransport>)> {
    const prefix = `agents-${++prefixes}`
    link = await nats.link({ prefix })
    const ours = link
    const far = await nats.link({ prefix })
    await setUp(ours, limits)
    await setUpObjects(ours, 'big', limits)
    const presence = { instanceOf: () => instance, onChange: () => {} }
    const remote = await openNatsTransport({ link: ours, presence, awayMs: 60_000, startTimeoutMs: 3_000, endKeptMs: 50, log: () => {} })
    const local = hosts(place)
    processes.length = 0
    const transport: HostTransport = (profile) => {
      processes.push(local(profile))
      return processes.at(-1)!
    }
    const bridge = createBridge({ link: far, machine: 'big', generation: instance, hasProfile: (profile) => profile !== 'nobody', transport, log: () => {}, ...more })
    await far.nc.flush()
    return Object.assign((profile: string) => remote(profile, 'big'), {
      keepsWhatIsSaid: true as const,
      async forget (runId: string) { await ours.jsm.streams.purge(ours.subjects.runs, { filter: ours.subjects.from('big', 'default', runId) }) },
      crash () { for (const process of processes) process.kill() },
      async close () {
        await remote.close()
        await bridge.close()
        await local.close?.()
        await Promise.all([ours.close(), far.close()])
      }
    })
  }
  return { open, link: () => link, processes }
}

t.test('a host on a machine that has joined', needs('nats-server'), async (t) => {
  const nats = await startNats(t)
  for (const conform of [eventsConform, controlsConform, requestsConform, asideConform, livesConform]) conform(t, machineOn(nats, inThisProcess).open)

  t.test('while the stream is full a run waits, and nothing is lost', async (t) => {
    const troubles: Array<string | null> = []
    const machine = machineOn(nats, inThisProcess, { trouble: (reason) => { troubles.push(reason) } })
    const { run, logs } = await bench(t, machine.open)
    const { jsm, subjects } = machine.link()
    await jsm.streams.update(subjects.runs, { max_bytes: 200_000 })
    const all = 110 * 8_192
    const followed = run([Array.from({ length: 110 }, () => ({ chunk: 'x'.repeat(8_192) }))])
    t.match(await eventually('the machine to be told', () => troubles[0]), /full/)
    t.ok(textOf(followed).length < all)
    await jsm.streams.update(subjects.runs, { max_bytes: limits.runsMb * 1_048_576 })
    t.match(await followed.over, done, logs.join('\n'))
    t.equal(textOf(followed).length, all)
    t.equal(troubles.at(-1), null)
  })

  t.test('a stream that is too small for what runs say at once empties itself', async (t) => {
    const machine = machineOn(nats, inThisProcess)
    const { run, logs } = await bench(t, machine.open, { heartbeatMs: 50 })
    const { jsm, subjects } = machine.link()
    await jsm.streams.update(subjects.runs, { max_bytes: 1_000_000 })
    const runs = [1, 2, 3, 4].map(() => run([Array.from({ length: 110 }, () => ({ chunk: 'x'.repeat(8_192) }))]))
    for (const followed of runs) {
      t.match(await followed.over, done, logs.join('\n'))
      t.equal(textOf(followed).length, 110 * 8_192)
    }
    await jsm.streams.update(subjects.runs, { max_bytes: limits.runsMb * 1_048_576 })
  })

  t.test('an idle process of a profile is stopped there, a busy one is not, and the next run gets a new one', async (t) => {
    const machine = machineOn(nats, children, { idleStopMs: 60 })
    const { run, lines } = await bench(t, machine.open)
    const wait = gate()
    const busy = run([held(wait, [{ text: 'a ' }], [{ text: 'b' }])])
    await arrived(busy, 'token')
    await new Promise((resolve) => setTimeout(resolve, 150))
    const [process] = machine.processes
    t.ok(isThere(process!.pid!))
    wait.open()
    t.match(await busy.over, done)
    await eventually('the idle stop', () => !isThere(process!.pid!))
    t.match(await run([]).over, done)
    t.equal(machine.processes.length, 2)
    t.equal(lines.length, 1, 'the service noticed nothing of it')
  })

  t.test('a process that is stuck is killed there, and its runs are lost in words; one that answers is not, whatever the service believes', async (t) => {
    const machine = machineOn(nats, children, { answerWithinMs: 500 })
    const { run, lines } = await bench(t, machine.open)
    const wait = gate()
    const followed = run([held(wait, [{ text: 'a ' }], [{ text: 'b' }])])
    await arrived(followed, 'token')
    lines[0]!.kill()
    await lines[0]!.compare()
    wait.open()
    t.match(await followed.over, done)
    const stuck = run([held(gate(), [{ text: 'a ' }], [])])
    await arrived(stuck, 'token')
    const { pid } = machine.processes.at(-1)!
    process.kill(pid!, 'SIGSTOP')
    lines[0]!.kill()
    t.match(await stuck.over, { message: /on the machine big stopped unexpectedly/ })
    await eventually('its end', () => !isThere(pid!))
    t.match(await run([]).over, done)
  })

  t.test('what is no message harms nobody, on whatever subject it comes', async (t) => {
    const machine = machineOn(nats, inThisProcess)
    const { run, logs } = await bench(t, machine.open)
    const wait = gate()
    const followed = run([held(wait, [{ text: 'a ' }], [{ text: 'b' }])])
    await arrived(followed, 'token')
    const { nc, subjects } = machine.link()
    const { runId, generation } = followed.spec
    const to = (['start', 'control', 'say'] as const).map((way) => subjects.to('big', 'default', way))
    const from = [null, runId].map((run) => subjects.from('big', 'default', run))
    const others = ['agents', subjects.to('big', '__proto__', 'say'), subjects.to('big', 'nobody', 'start'), subjects.from('big', 'default', 'nobody'), `${subjects.to('big', 'default', 'say')}.more`]
    const end = { t: 'end', state: 'done', usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false, lastPromptTokens: 0 } }
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const spec: Partial<RunSpec> = { ...followed.spec, runId: 'deep' }
    const payloads = [
      '', 'x', 'null', '0', '[]', '{}', '{"type":', '\u0000', 'x'.repeat(900_000), deep, `{"spec":${JSON.stringify({ ...spec, todos: [{}] }).replace('[{}]', `[{"x":${deep}}]`)}}`,
      ...[
        { type: '__proto__' }, { type: 'start', spec: null }, { type: 'start', spec: { v: 1 } }, { type: 'start', spec: { ...spec, runId: 'a.b' } }, { type: 'start', spec: { ...spec, runId: 'x', profile: 'other' } },
        { type: 'control', control: { controlId: 7 } }, { type: 'control', control: { controlId: 'x', runId, op: 'steer' } }, { type: 'ping', beat: 'x' }, { type: 'ping', beat: -1 },
        { type: 'reply', reply: { requestId: 'x', runId } }, { type: 'aux', request: { requestId: 'x', task: '__proto__', model: {} } }, { type: 'mcp', query: { requestId: 'x', what: 'toString', body: null } },
        { type: 'kill' }, { type: 'exited' }, { type: 'exited', process: 'another', reason: 7 }, { type: 'lost' }, { type: 'lost', runId: 'nobody' },
        { type: 'pong' }, { type: 'pong', beat: 0, runs: [null] }, { type: 'pong', beat: 0, runs: [{ runId, generation: 7, seq: 0, isOver: true, requests: [] }] },
        { type: 'events' }, { type: 'events', batches: [null] }, { type: 'events', batches: [{ runId, generation, seq: 1, events: [{ t: 'token', text: 'again' }] }] },
        { type: 'events', batches: [{ runId, generation: 7, seq: 1, events: [end] }] }, { type: 'events', batches: [{ runId: 'nobody', generation, seq: 1, events: [end] }] },
        { type: 'request', request: { runId, generation: 7, requestId: 'x', what: 'delegate', body: null, deadlineMs: null } }, { type: 'missing', runId, generation: 7 }, { type: 'missing', runId: 'nobody', generation }
      ].map((message) => JSON.stringify(message))
    ]
    for (const subject of [...to, ...from, ...others]) {
      for (const payload of payloads) {
        for (const head of [{}, { [instanceHeader]: instance }, { [instanceHeader]: instance, Object: 'nothing' }]) {
          const headed = headers()
          for (const [name, value] of Object.entries(head)) headed.set(name, value!)
          nc.publish(subject, payload, { headers: headed })
        }
      }
    }
    await nc.flush()
    wait.open()
    t.match(await followed.over, done, logs.join('\n'))
    t.equal(textOf(followed), 'a b')
    const next = run([[{ text: 'And on.' }]])
    t.match(await next.over, done)
    t.equal(textOf(next), 'And on.')
  })
})

function isThere (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
