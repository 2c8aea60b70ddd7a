import { setTimeout as delay } from 'node:timers/promises'
import { openLink } from '../../services/ground/nats/link.js'

export interface SimulationTask { port: number, machines: number, turns: number, pace: number, seconds: number, ticksPerSecond: number }
export interface SimulationReport { said: number, cpuS: number, elapsedS: number }

// The machines of the simulation, in a process of their own: each has a connection, and sends the output of its turns in batches like a
// host, every few milliseconds one message for each turn with new output.
process.once('message', (task: SimulationTask) => { void perform(task).then((report) => process.send!(report)) })

async function perform ({ port, machines, turns, pace, seconds, ticksPerSecond }: SimulationTask): Promise<SimulationReport> {
  const links = await Promise.all(Array.from({ length: machines }, async (_, index) =>
    await openLink({ urls: [`nats://127.0.0.1:${port}`], prefix: 'agents', inbox: `_INBOX_machine-${index}`, name: `machine-${index}` })))
  const runs = Array.from({ length: turns }, (_, index) =>
    ({ id: crypto.randomUUID(), machine: index % machines, seq: 1, due: Math.random() / pace }))
  const before = process.cpuUsage()
  const begunMs = performance.now()
  let said = 0
  const acknowledged: Array<Promise<unknown>> = []
  for (let tick = 0; tick < seconds * ticksPerSecond; tick++) {
    const nowS = (performance.now() - begunMs) / 1_000
    for (const run of runs) {
      const events: Array<{ t: 'token', text: string }> = []
      for (; run.due <= nowS; run.due += 1 / pace) events.push({ t: 'token', text: ' word' })
      if (events.length === 0) continue
      const { js, subjects } = links[run.machine]!
      const batch = { runId: run.id, generation: 1, seq: run.seq, events }
      acknowledged.push(js.publish(subjects.from(`machine-${run.machine}`, 'default', run.id), JSON.stringify({
        type: 'events', sentMs: Date.now(), batches: [batch]
      }), { msgID: `${run.id}.${run.seq}`, timeout: 30_000 }))
      run.seq += events.length
      said += events.length
    }
    await delay(Math.max(0, begunMs + (tick + 1) * 1_000 / ticksPerSecond - performance.now()))
  }
  const elapsedS = (performance.now() - begunMs) / 1_000
  await Promise.all(acknowledged)
  const used = process.cpuUsage(before)
  for (const { close } of links) await close()
  return { said, elapsedS, cpuS: (used.user + used.system) / 1e6 }
}
