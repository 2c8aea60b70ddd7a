import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { judgeMark } from '../../../services/agent/engines/quoted-conversation.js'
import { startModelEndpoint, type ModelRequest, type ModelStep } from '../../../test/support/model-endpoint.js'
import { type Arena } from '../arena.js'
import { checkState } from '../check-ledger.js'
import { createMortal, inTime, type Mortal } from '../mortal.js'
import { type Random } from '../random.js'
import { type Scenario } from '../scenario.js'

const killsOfRound = { whole: 8, short: 3 } as const
const goalsAtOnce = 4
/** Some of the goals take more turns than this, and are paused at the limit. */
const maxTurns = 4
const mostSteps = 5
const endLimitMs = 90_000
/** An active goal in which no turn runs must continue, or be judged, within this time. */
const stillLimitMs = 15_000

/** What a person asked for last, and whether that was acknowledged. */
interface Pursued { sessionId: string, goal: string, last: 'set' | 'pause' | 'resume' | 'clear', isCertain: boolean, resumed: number }
interface Goal { goal: string, status: string, turns_used: number, max_turns: number, paused_code: string | null }
interface Told { role: string, content: string, _source?: string }

export const goals: Scenario = {
  name: 'goals',
  says: 'kill -9 of the service, alone or with its agent process, while goals run, are judged, use up their turns, are paused, resumed and cleared',
  short: true,
  async run (arena) {
    const { random, tally, short, rounds } = arena
    const endpoint = await startModelEndpoint({ models: ['going'] })
    arena.later(() => endpoint.close())
    endpoint.script((request) => answerTo(request, random))
    mkdirSync(join(arena.folder, 'home'), { recursive: true })
    writeFileSync(join(arena.folder, 'home', 'config.yaml'), `goals:\n  max_turns: ${maxTurns}\n`)
    const mortal = await createMortal(arena, { env: { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: endpoint.url } })
    const all: Pursued[] = []
    for (let kill = 0; kill < rounds * killsOfRound[short ? 'short' : 'whole']; kill++) {
      const open: Pursued[] = []
      for (const one of all) if (await isUnderWay(mortal, one)) open.push(one)
      const beginning = Promise.all(Array.from({ length: Math.max(0, goalsAtOnce - open.length) }, async () => await begin()))
      const acting = Promise.all(open.map(async (one) => await act(mortal, one, random)))
      await delay(random.whole(100, 2_500))
      await mortal.kill()
      await Promise.all([beginning, acting])
      for (const one of all) await checkStanding(arena, mortal, one)
    }
    const ends = new Map<string, number>()
    for (const one of all) {
      const end = await checkEnd(arena, mortal, one)
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
    tally.note(`${all.length} goals: ${[...ends].map(([end, count]) => `${count} ${end}`).join(', ')}`)
    await mortal.stop()
    checkState({ databaseFile: arena.databaseFile(), tally })

    async function begin (): Promise<void> {
      const made = await mortal.need('/api/session/new', { model: 'going', model_provider: 'openai' })
      if (made === null) return
      const sessionId = made.session.session_id as string
      const goal = `Take ${random.whole(1, mostSteps)} steps of ${sessionId}`
      const body = await mortal.need('/api/goal', { session_id: sessionId, args: goal })
      if (body === null) return
      all.push({ sessionId, goal, last: 'set', isCertain: true, resumed: 0 })
      tally.tried('goals')
    }
  }
}

/** The judge says how many steps are missing, after a while. */
function answerTo ({ stream, messages }: ModelRequest, random: Random): ModelStep[] {
  const text = messages.map(({ content }) => typeof content === 'string' ? content : JSON.stringify(content)).join('\n')
  if (String(messages[0]?.content).startsWith(judgeMark)) {
    const wanted = Number(/Take (\d+) steps/.exec(text)?.[1])
    const taken = Number(/This was step (\d+)/.exec(text)?.[1] ?? 0)
    return [
      { waitMs: random.whole(0, 900) },
      { text: JSON.stringify({ verdict: taken >= wanted ? 'done' : 'continue', reason: `${taken} of ${wanted} steps.` }) }
    ]
  }
  if (!stream) return [{ text: 'A title' }]
  const steps = messages.filter(({ role }) => role === 'user').length
  return [{ text: 'I take a step. ' }, { waitMs: random.whole(0, 500) }, { text: `This was step ${steps}.` }]
}

const goalOf = async (mortal: Mortal, { sessionId }: Pursued): Promise<Goal | null | undefined> => {
  const answer = await mortal.ask('/api/goal', { session_id: sessionId, args: 'status' })
  return answer?.status === 200 ? answer.body.goal as Goal | null : undefined
}
const isUnderWay = async (mortal: Mortal, one: Pursued): Promise<boolean> =>
  ['active', 'paused'].includes((await goalOf(mortal, one))?.status ?? '')

/** Pauses a goal, continues it, clears it, or leaves it alone. */
async function act (mortal: Mortal, one: Pursued, random: Random): Promise<void> {
  if (random.chance(0.4)) return
  await delay(random.whole(0, 1_000))
  const paused = (await goalOf(mortal, one))?.status === 'paused'
  const last = paused ? 'resume' : random.chance(0.2) ? 'clear' : random.chance(0.5) ? 'pause' : null
  if (last === null) return
  const before = { last: one.last, isCertain: one.isCertain }
  Object.assign(one, { last, isCertain: false })
  const answer = await mortal.ask('/api/goal', { session_id: one.sessionId, args: last })
  if (answer?.status === 200) one.isCertain = true
  // It was already over.
  else if (answer?.status === 400) Object.assign(one, before)
  if (last !== 'resume' || answer?.status !== 200) return
  one.resumed++
  await mortal.ask('/api/chat/start', { session_id: one.sessionId, message: 'Go on' })
}

/** Checks that what was acknowledged has taken effect. */
async function checkStanding ({ tally }: Arena, mortal: Mortal, one: Pursued): Promise<void> {
  const goal = await goalOf(mortal, one)
  tally.checked()
  const wrong = (text: string): void => tally.lost('goals', `${one.goal}: ${text}; its goal is ${JSON.stringify(goal)}`)
  if (one.last === 'clear') {
    if (one.isCertain && goal !== null) wrong('it was cleared')
    return
  }
  if (goal === null || goal === undefined) return wrong(`${one.last} was acknowledged, and it is gone`)
  if (goal.goal !== one.goal) wrong('it is another one')
  if (one.last === 'pause' && one.isCertain && goal.status !== 'paused') wrong('it was paused')
  if (goal.turns_used > goal.max_turns) wrong('it has used more turns than it may')
  if (goal.status === 'paused' && goal.paused_code === null) wrong('it is paused, and does not say why')
}

/** Checks that the goal is reached, or stands still and says why, without a person who continues it. */
async function checkEnd (arena: Arena, mortal: Mortal, one: Pursued): Promise<string> {
  const { tally } = arena
  let stillSinceMs: number | null = null
  const end = await inTime(async () => {
    const { body } = await mortal.ask(`/api/session?session_id=${one.sessionId}&messages=0`) ?? {}
    if (body?.session.active_stream_id !== null) {
      stillSinceMs = null
      return null
    }
    const goal = await goalOf(mortal, one)
    if (goal === null) return 'cleared'
    if (goal?.status === 'done') return 'reached'
    if (goal?.status === 'paused') return `paused (${goal.paused_code})`
    stillSinceMs ??= performance.now()
    return performance.now() - stillSinceMs > stillLimitMs ? 'stuck' : null
  }, endLimitMs)
  // A resumed goal waits for a message, which may not have been acknowledged.
  if (end === null || (end === 'stuck' && one.last !== 'resume')) {
    tally.lost('goals', `${one.goal} is under way, and nothing happens: ${JSON.stringify(await goalOf(mortal, one))}`)
  }
  await checkStanding(arena, mortal, one)
  const { body } = await mortal.ask(`/api/session?session_id=${one.sessionId}`) ?? {}
  const messages: Told[] = body?.session.messages ?? []
  const told = messages.filter(({ role, _source: source }) => role === 'user' && source === 'goal').map(({ content }) => content)
  tally.checked(told.length)
  if (told[0] !== one.goal) tally.lost('messages', `${one.goal}: its first message is ${told[0]}`)
  // Each turn of a goal has a different message, until its turns are reset.
  if (one.resumed === 0 && one.last !== 'resume' && new Set(told).size !== told.length) {
    tally.wrong(`${one.goal} has gone on twice with the same message: ${JSON.stringify(told)}`)
  }
  return end ?? 'not over'
}
