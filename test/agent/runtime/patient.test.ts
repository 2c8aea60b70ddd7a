import t from '#test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Control, type RunSpec, type ToHost } from '../../../services/agent/protocol.js'
import { type HostConnection } from '../../../services/agent/runtime/connection.js'
import { type MachineTransport } from '../../../services/agent/runtime/machines.js'
import { createPatientTransport } from '../../../services/agent/runtime/patient-transport.js'

const observe: ToHost = { type: 'observe', runId: 'run', generation: 3, after: 17 }
const start = { type: 'start', spec: { runId: 'run' } as RunSpec } as const
const stop: Control = { op: 'cancel', runId: 'run', controlId: 'c' }

/** Creates a transport to machines that records what passes through it. */
function way () {
  const went: string[] = []
  const transport: MachineTransport = Object.assign((profile: string, machine: string): HostConnection => ({
    pid: null,
    send: (message) => { went.push(`${machine} ${profile} ${message.type}`) },
    onMessage: (listener) => listener('said'),
    onExit () {},
    async control ({ controlId }) { return { controlId, result: 'applied' } },
    isAway: () => false,
    async stop () { went.push(`${machine} let go`) },
    kill () {}
  }), { giveUp () {}, async close () { went.push('closed') } })
  return { transport, went }
}

/** Records what a connection told the runtime. */
function heard (connection: HostConnection): string[] {
  const all: string[] = []
  connection.onMessage((message) => all.push(`message ${String(message)}`))
  connection.onExit((reason, message) => all.push(`exit ${reason}: ${message}`))
  connection.onLost?.((runId, { message }) => all.push(`lost ${runId}: ${message}`))
  return all
}

t.test('before there is a way a run that is followed waits, a turn is refused in words, and nobody takes a control', async (t) => {
  const machines = createPatientTransport({ awayMs: 60_000 })
  const connection = machines('default', 'big')
  const all = heard(connection)
  t.equal(connection.isAway?.(), true)
  connection.send(observe)
  connection.send(start)
  await t.rejects(connection.control!(stop, 1_000), { code: 'gateway_run_unavailable', message: 'The machine big is not reachable' })
  while (all.length === 0) await delay(1)
  t.same(all, ['lost run: The machine big is not reachable: the service has no connection to its NATS server.'])

  const { transport, went } = way()
  machines.use(transport)
  t.same(went, ['big default observe'], 'the turn that was refused does not begin later')
  t.equal(all.at(-1), 'message said')
  t.equal(connection.isAway?.(), false)
  t.same(await connection.control!(stop, 1_000), { controlId: 'c', result: 'applied' })
  connection.send(start)
  machines('default', 'small').send(start)
  t.same(went.slice(1), ['big default start', 'small default start'])
  await connection.stop()
  machines.use(null)
  const later = heard(machines('default', 'big'))
  await machines.close()
  t.same(went.slice(3), ['big let go'], 'a way that was taken back is closed by who has made it')
  t.same(later, [])
})

t.test('who waits for too long is told, once, and waits for nothing more', async (t) => {
  const machines = createPatientTransport({ awayMs: 5 })
  const all = heard(machines('default', 'big'))
  while (all.length === 0) await delay(1)
  t.same(all, ['exit the machine was away for too long: The machine big could not be reached for too long, in the middle of this turn.'])
  const { transport, went } = way()
  machines.use(transport)
  t.same(went, [])
})
