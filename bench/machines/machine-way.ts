import { setTimeout as delay } from 'node:timers/promises'
import { Publisher } from '../../machine/publisher.js'
import { StreamReader } from '../../services/agent/runtime/nats-reader.js'
import { setUp } from '../../services/ground/nats/setup.js'
import { startNats } from '../../test/support/nats.js'
import { median, percentile } from '../report.js'

// How much latency a NATS server on this machine adds to a token, at 50 tokens a second: `npx tsx bench/machines/machine-way.ts`.

const ends: Array<() => unknown> = []
const nats = await startNats({ teardown: (end) => ends.push(end), fail: console.error })
const [near, far] = [await nats.link(), await nats.link()]
await setUp(near, { runsMb: 64, objectsMb: 64 })
const lateMs: number[] = []
const reader = new StreamReader({
  link: near, filter: near.subjects.allFrom('big', 'default'), from: 1, log: console.error,
  take (message) { lateMs.push(performance.now() - message.json<{ atMs: number }>().atMs) }
})
const publisher = new Publisher({ link: far, machine: 'big', instance: '1', log: console.error })
for (let token = 0; token < 400; token++) {
  publisher.say(far.subjects.from('big', 'default', 'run'), { atMs: performance.now(), text: 'word ' })
  await delay(20)
}
console.log(`${lateMs.length} tokens: median ${median(lateMs).toFixed(2)} ms, p99 ${percentile(lateMs, 0.99).toFixed(2)} ms`)
reader.stop()
for (const end of ends.reverse()) await end()
