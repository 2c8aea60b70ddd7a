import t from '#test'
import { jetstream } from '@nats-io/jetstream'
import { setTimeout as delay } from 'node:timers/promises'
import { pack, unpack } from '../../../services/ground/nats/packets.js'
import { setUp, setUpObjects } from '../../../services/ground/nats/setup.js'
import { startNats } from '../../support/nats.js'
import { needs } from '../../support/programs.js'

const limits = { runsMb: 16, objectsMb: 16 }

void t.test('what is small travels in the message, and what is large beside it, which leaves nothing behind', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const link = await server.link()
  await setUp(link, limits)
  await setUp(link, limits)
  await setUpObjects(link, 'big', limits)
  for (const text of ['small', 'large'.repeat(400_000)]) {
    const { payload, headers } = await pack(link, 'big', { text })
    t.ok(payload.length < 600_000)
    t.same(await unpack(link, 'big', { data: payload, headers }), { text })
  }
  const bucket = await link.objm.open(link.subjects.objects('big'))
  t.same(await bucket.list(), [])
})

void t.test('what was acknowledged outlives the server being killed, and the link comes back by itself', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const link = await server.link()
  await setUp(link, limits)
  const seen: boolean[] = []
  link.onChange((isConnected) => seen.push(isConnected))
  await link.js.publish(link.subjects.from('big', 'default', 'r1'), 'said')
  await server.stop()
  while (link.isConnected()) await delay(10)
  await server.start()
  while (!link.isConnected()) await delay(10)
  const { state } = await link.jsm.streams.info(link.subjects.runs)
  t.equal(state.messages, 1)
  t.same(seen, [false, true])
  const message = await jetstream(link.nc).streams.get(link.subjects.runs).then(async (stream) => await stream.getMessage({ last_by_subj: link.subjects.from('big', 'default', 'r1') }))
  t.equal(message?.string(), 'said')
})
