import { setTimeout as delay } from 'node:timers/promises'
import { hostPid, type Arena } from '../arena.js'
import { checkState } from '../check-ledger.js'
import { checkTurn, textIn } from '../check-turns.js'
import { type Client } from '../client.js'
import { createCrew } from '../crew.js'
import { faults, type Fault } from '../faults.js'
import { brief, startFaultyEndpoint, steady } from '../faulty-endpoint.js'
import { type AcceptedTurn } from '../ledger.js'
import { type Scenario } from '../scenario.js'
import { watchService } from '../watch.js'

const atOnce = 10
const turnLimitMs = 90_000
const cancelLimitMs = 10_000
const beforeCancelMs = 500
/** How long the event loop may be blocked, and how large no fault may make the processes. */
const stallLimitMs = 2_000
const memoryLimitMib = 900

export const modelFaults: Scenario = {
  name: 'model-faults',
  says: `${faults.length} faults of a model endpoint, next to healthy turns`,
  short: true,
  async run (arena) {
    const endpoint = await startFaultyEndpoint()
    arena.later(endpoint.close)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: endpoint.url }
    let service = await arena.ready({ env })
    const crew = createCrew(arena)
    const chosen = faults.filter(({ short }) => !arena.short || short === true)
    const watch = watchService(`${service.url}/livez`, [service.pid, await hostPid(service)])
    const turns: AcceptedTurn[] = []
    const client = crew.client(service)
    await inBatches(chosen.filter(({ large }) => large !== true), atOnce)
    await inBatches(chosen.filter(({ large }) => large === true), 1)
    const { slowestMs, mostMib } = await watch.end()
    arena.tally.note(`slowest /livez ${Math.round(slowestMs)} ms, most memory ${Math.round(mostMib)} MiB (service or agent process)`)
    if (!arena.short && slowestMs > stallLimitMs) arena.tally.wrong(`/livez took ${Math.round(slowestMs)} ms`)
    if (mostMib > memoryLimitMib) arena.tally.wrong(`a process grew to ${Math.round(mostMib)} MiB`)
    await arena.stop(service)
    service = await arena.ready({ env })
    for (const turn of turns) await checkTurn(turn, { url: service.url, tally: arena.tally })
    checkState({ databaseFile: arena.databaseFile(), tally: arena.tally })
    await arena.stop(service)

    async function inBatches (kinds: Fault[], size: number): Promise<void> {
      for (let at = 0; at < kinds.length; at += size) {
        const batch = kinds.slice(at, at + size)
        const neighbour = listenSteadily(arena, client, turns, batch)
        await Promise.all(batch.map(async (fault) => await suffer(arena, client, fault, turns)))
        await neighbour
      }
    }
  }
}

/** Runs one turn with a model that has the fault: it must end, or be cancellable, and its session must be usable afterwards. */
async function suffer ({ tally }: Arena, client: Client, fault: Fault, turns: AcceptedTurn[]): Promise<void> {
  tally.tried('faults')
  const wrong = (text: string): void => tally.wrong(`fault "${fault.name}": ${text}`)
  const sessionId = await client.newSession()
  let started: AcceptedTurn | undefined
  const ended = client.turn(sessionId, `fault ${fault.name}`, {
    model: `fault-${fault.name}`,
    async meanwhile (turn) {
      started = turn
      if (fault.endless !== true) return
      await delay(beforeCancelMs)
      await client.cancel(turn)
    }
  }).then((turn) => turn, (error: Error) => { wrong(`its stream ended early: ${error.message}`) })
  const limitMs = fault.endless === true ? cancelLimitMs : turnLimitMs
  const turn = await Promise.race([ended, delay(limitMs, null, { ref: false })])
  if (turn === null) {
    wrong(`its turn did not end within ${limitMs / 1000} s`)
    if (started !== undefined) await client.cancel(started)
    await Promise.race([ended, delay(cancelLimitMs, null, { ref: false })])
  }
  if (started === undefined) return
  turns.push(started)
  const expected = fault.endless === true ? 'cancel' : fault.ends
  const last = started.received.at(-1)
  if (expected !== undefined && last?.event !== expected) {
    wrong(`it ended with ${last?.event} and not ${expected}: ${last?.data.slice(0, 200)}`)
  }
  await checkKept(client, sessionId, fault, wrong)
  const next = await client.turn(sessionId, `after ${fault.name}`, {
    model: brief.model
  }).catch((error: Error) => { wrong(`the stream of its session's next turn ended early: ${error.message}`) })
  if (next === undefined) return
  turns.push(next)
  if (next.received.at(-1)?.event !== 'stream_end') wrong(`the next turn of its session ended with ${next.received.at(-1)?.event}`)
}

async function checkKept (client: Client, sessionId: string, { keeps }: Fault, wrong: (text: string) => void): Promise<void> {
  if (keeps === undefined) return
  const { messages } = (await client.get(`/api/session?session_id=${sessionId}`)).body.session as {
    messages: Array<{ role: string, content: string, reasoning?: string }>
  }
  const kept = messages.some(({ role, content, reasoning = '' }) => role === 'assistant' && `${reasoning}${content}`.includes(keeps))
  if (!kept) wrong(`"${keeps}" was shown and is not in the transcript`)
}

/** Runs a turn beside the faults, which must not be affected by them. */
async function listenSteadily ({ tally }: Arena, client: Client, turns: AcceptedTurn[], beside: Fault[]): Promise<void> {
  const names = beside.map(({ name }) => name).join(', ')
  const turn = await client.turn(await client.newSession(), `beside ${names}`, { model: steady.model })
    .catch((error: Error) => tally.wrong(`the stream of a turn beside ${names} ended early: ${error.message}`))
  if (turn === undefined) return
  turns.push(turn)
  const heard = textIn(turn.received, 'token')
  const wanted = Array.from({ length: steady.words }, (_, index) => `w${index} `).join('')
  if (heard !== wanted) {
    tally.lost('messages', `a turn beside ${names} got ${heard.length} of ${wanted.length} characters and ended with ${turn.received.at(-1)?.event} ${turn.received.at(-1)?.data.slice(0, 200)}`)
  }
}
