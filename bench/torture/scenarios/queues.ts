import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asset } from '../../../services/ground/assets.js'
import { builtService, realInstallation, type Installation } from '../../../test/support/installation.js'
import { startModelEndpoint } from '../../../test/support/model-endpoint.js'
import { type ServerProcess } from '../../../test/support/server.js'
import { call } from '../../wire.js'
import { type Arena } from '../arena.js'
import { inTime } from '../mortal.js'
import { type Scenario } from '../scenario.js'

const conversations = 4
const perConversation = 5
const kills = 5
const doneLimitMs = 240_000
/** From this request on, the provider is at its limit for longer than a turn waits by itself. */
const limitedFrom = 6
const limitedMs = 75_000
const wordEveryMs = 10
const answer = Array.from({ length: 40 }, (_, index) => `w${index} `)
/** Number of kills before the update. */
const updatedAfter = 3
const updateLimitMs = 30_000

interface Told { role: string, content: string, _partial?: boolean }

export const queues: Scenario = {
  name: 'queues',
  says: 'kill -9 of the service, and an update of it, while queued messages wait and their provider is at its limit, and no client is connected',
  short: true,
  async run (arena) {
    const { random, tally, short } = arena
    const { url: modelUrl } = short ? await arena.endpoint(200) : await limitedEndpoint(arena)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl, SVC_WEBUI_RESTART: 'exit' }
    const t = { teardown: arena.later, fail: tally.wrong }
    const project = short ? null : realInstallation(t, builtService(t))
    const start = async (): Promise<ServerProcess> =>
      await arena.ready({ env, ...(project !== null && { program: join(project.folder, 'dist', 'server.js') }) })
    let service = await start()
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
      service = await start()
      if (project !== null && round + 1 === updatedAfter) {
        await update(arena, project, service)
        service = await start()
      }
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
      // First waits until everything may be over, checking nothing but that.
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
      const answers: string[] = session.messages.filter(({ role }: Told) => role === 'assistant').map(({ content }: Told) => content)
      if (!short && (answers.length !== messages.length || answers.some((said) => said !== answer.join('')))) {
        tally.wrong(`the messages of ${id} are answered with ${JSON.stringify(answers).slice(0, 500)}`)
      }
      isCut += session.messages.filter(({ _partial: isPartial }: Told) => isPartial === true).length
    }
    tally.note(`${conversations * perConversation} queued messages over ${kills} kills, ${parked} turns at a limit; ${isCut} answers cut off`)
    await arena.stop(service)
  }
}

/** Replaces the service by a new version, as soon as no turn is just beginning; the service ends for it, as under a supervisor. */
async function update ({ tally }: Arena, project: Installation, service: ServerProcess): Promise<void> {
  const version = project.release({ 'page.html': 'another page\n' })
  let said: string | undefined
  const isBegun = await inTime(async () => {
    const { ok, message, restart_blocked: isBlocked } = await service.json('/api/updates/apply', { target: 'webui' })
    said = message
    return ok === true || isBlocked !== true ? { ok } : null
  }, updateLimitMs)
  if (isBegun?.ok !== true) throw new Error(`the update is answered "${said}"`)
  await service.exited
  execFileSync(process.execPath, [asset('scripts/finish-update.js')], { cwd: project.folder, stdio: 'ignore' })
  tally.checked()
  if (project.git('rev-parse', 'HEAD') !== version) tally.wrong('the new version is not checked out')
}

/** Starts a provider that is at its limit for a while, and says until when. */
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
    return answer.flatMap((text) => [{ text }, { waitMs: wordEveryMs }])
  })
  return { url: endpoint.url }
}
