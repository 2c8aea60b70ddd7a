import { setTimeout as delay } from 'node:timers/promises'
import { startModelEndpoint } from '../../../test/support/model-endpoint.js'
import { call } from '../../wire.js'
import { type Arena } from '../arena.js'
import { type Scenario } from '../scenario.js'

const conversations = 4
const perConversation = 5
const kills = 5
const doneLimitMs = 240_000
/** From this request on the provider is at its limit, for longer than a turn waits by itself. */
const limitedFrom = 6
const limitedMs = 75_000
const wordEveryMs = 10

interface Told { role: string, content: string, _partial?: boolean }

export const queues: Scenario = {
  name: 'queues',
  says: 'kill -9 of the service while queued messages wait and their provider is at its limit, and no client is connected',
  short: true,
  async run (arena) {
    const { random, tally, short } = arena
    const { url: modelUrl } = short ? await arena.endpoint(200) : await limitedEndpoint(arena)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl }
    let service = await arena.ready({ env })
    const post = async (path: string, body: unknown) => {
      const answer = await call(service.url + path, 'POST', body)
      if (answer.status !== 200) tally.wrong(`${path} is answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 200)}`)
      return answer.body
    }

    const promised = new Map<string, string[]>()
    for (let at = 0; at < conversations; at++) {
      const { session: { session_id: id } } = await post('/api/session/new', short ? {} : { model: 'limited' })
      const messages = Array.from({ length: perConversation + 1 }, (_, place) => `words=${random.whole(20, 60)} message ${place} of ${id}`)
      promised.set(id, messages)
      for (const message of messages) {
        await post('/api/chat/start', { session_id: id, message, if_busy: 'queue', client_id: message })
        tally.tried('messages')
      }
    }
    for (let round = 0; round < kills; round++) {
      await delay(random.whole(100, short ? 400 : 1_500))
      await service.end('SIGKILL')
      tally.tried('kills')
      service = await arena.ready({ env })
    }

    let parked = 0
    for (const id of promised.keys()) {
      const { session } = (await call(`${service.url}/api/session?session_id=${id}`)).body
      if (session.resumes_at !== undefined) parked++
    }
    if (!short && parked === 0) tally.wrong('no turn waits for the limit to pass, so nothing was tried')
    const untilMs = performance.now() + doneLimitMs
    let isCut = 0
    for (const [id, messages] of promised) {
      // Nobody looks before all of it may be over, and then only whether it is.
      const read = async () => (await call(`${service.url}/api/session?session_id=${id}`)).body.session
      let session = await read()
      while ((session.queued_count !== undefined || session.active_stream_id !== null) && performance.now() < untilMs) {
        await delay(500)
        session = await read()
      }
      if (session.queued_count !== undefined) tally.wrong(`${session.queued_count} messages of ${id} still wait after ${doneLimitMs / 1000} s`)
      const said: string[] = session.messages.filter(({ role }: Told) => role === 'user').map(({ content }: Told) => content)
      tally.checked(messages.length)
      for (const message of messages) {
        const count = said.filter((one) => one === message).length
        if (count === 0) tally.lost('messages', message)
        else if (count > 1) tally.wrong(`"${message}" began ${count} times`)
      }
      if (said.join('\n') !== messages.join('\n')) tally.wrong(`the messages of ${id} are not in order: ${said.join(', ')}`)
      isCut += session.messages.filter(({ _partial: isPartial }: Told) => isPartial === true).length
    }
    tally.note(`${conversations * perConversation} queued messages over ${kills} kills, ${parked} turns at a limit; ${isCut} answers cut off`)
    await arena.stop(service)
  }
}

/** A provider that is at its limit for a while, and says until when. */
async function limitedEndpoint (arena: Arena): Promise<{ url: string }> {
  const endpoint = await startModelEndpoint({ models: ['limited'] })
  arena.later(() => endpoint.close())
  let asked = 0
  let untilMs = 0
  endpoint.script(({ stream }) => {
    if (!stream) return [{ text: 'A title' }]
    if (++asked === limitedFrom) untilMs = performance.now() + limitedMs
    const leftS = Math.ceil((untilMs - performance.now()) / 1_000)
    if (leftS > 0) return [{ refuse: 429, error: 'Too many requests', headers: { 'retry-after': String(leftS) } }]
    return Array.from({ length: 40 }, (_, index) => [{ text: `w${index} ` }, { waitMs: wordEveryMs }]).flat()
  })
  return { url: endpoint.url }
}
