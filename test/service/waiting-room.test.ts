import t, { type Test } from '#test'
import fastify from 'fastify'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createWaitingRoom, type WaitingRoom } from '../../services/areas/upgrades/index.js'
import { eventually } from '../support/chat.js'
import { freePort } from '../support/listening.js'

/** Opens a waiting room. `begin` registers the service behind it, and lets it listen. */
async function open (t: Test) {
  const port = await freePort()
  const room: WaitingRoom = createWaitingRoom({ host: '127.0.0.1', port })
  await room.wait()
  const heard: string[] = []
  const url = `http://127.0.0.1:${port}`
  return {
    port,
    url,
    room,
    heard,
    async begin () {
      const app = fastify({ serverFactory: room.handOver, forceCloseConnections: true })
      app.all('/*', async (request) => {
        heard.push(`${request.method} ${request.url}`)
        return { from: 'the service', body: request.body }
      })
      t.teardown(async () => { await app.close() })
      await app.listen({ port, host: '127.0.0.1' })
      return app
    },
    json: async (path: string, init?: RequestInit): Promise<unknown> => await (await fetch(url + path, init)).json()
  }
}

t.test('requests wait for the service, with their bodies, and are answered by it', async (t) => {
  const { begin, json, heard } = await open(t)
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ word: 'x'.repeat(100_000) }) }
  const waiting = [json('/api/sessions'), json('/api/session/new', post), json('/readyz'), json('/health')]
  t.same(await json('/livez'), { status: 'ok' })
  t.same(heard, [])
  const app = await begin()
  const answers = await Promise.all(waiting)
  t.match(answers, Array.from({ length: 4 }, () => ({ from: 'the service' })))
  t.same((answers[1] as { body: unknown }).body, JSON.parse(post.body))
  t.same(await json('/livez'), { from: 'the service', body: null }, 'nothing is answered in its place any more')
  t.equal(app.server.keepAliveTimeout, app.initialConfig.keepAliveTimeout, 'its limits apply')
})

t.test('nothing is done for a client that has left', async (t) => {
  const { begin, json, heard, port, room } = await open(t)
  const client = connect(port, '127.0.0.1')
  client.write('POST /api/left HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n')
  t.same(await json('/livez'), { status: 'ok' })
  client.destroy()
  await once(client, 'close')
  t.same(await json('/livez'), { status: 'ok' })
  await begin()
  await json('/api/sessions')
  t.same(heard, ['GET /api/sessions'])
  await room.close()
})

t.test('a start that fails ends the connections of those who wait', async (t) => {
  const { json, room, url } = await open(t)
  const waiting = t.rejects(json('/api/sessions'))
  t.same(await json('/livez'), { status: 'ok' })
  await room.close()
  await waiting
  await eventually('no listener', async () => await fetch(`${url}/livez`).then(() => false, () => true))
})
