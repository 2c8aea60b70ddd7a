import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findSandbox } from '../../../services/agent/sandbox/index.js'
import { isAlive } from '../../processes.js'
import { type Answer } from '../../wire.js'
import { type Arena } from '../arena.js'
import { createMortal, inTime, type Mortal } from '../mortal.js'
import { createRegister } from '../register.js'
import { type Scenario } from '../scenario.js'

const killsOfRound = { whole: 8, short: 3 } as const
const runsAtOnce = 3
const endLimitMs = 60_000
/** Longer than any check takes by itself. */
const lateMs = 1_500
const open = ['waiting', 'running']

/** A run that was acknowledged. `seen`: its state once it was over; `ended`: whether its command had ended by then. */
interface Run { id: string, name: string, fails: boolean, cancelled: boolean, seen: string | null, ended: boolean }

export const checks: Scenario = {
  name: 'checks',
  says: 'kill -9 of the service, alone or with its agent process, while checks are saved, run, stopped and sent',
  short: true,
  async run (arena) {
    const { random, tally, short, rounds } = arena
    const { url: modelUrl } = await arena.endpoint(200)
    const isConfined = (await findSandbox(process.env)).available
    const mortal = await createMortal(arena, {
      env: { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl, SVC_WEBUI_SANDBOX: isConfined ? '1' : '0' }
    })
    const folder = join(arena.workspace(), 'checked')
    mkdirSync(folder)
    const { session: { session_id: sessionId } } = await mortal.need('/api/session/new', { workspace: folder })
    /** Whether a check of that name is saved. */
    const saved = new Map<string, ReturnType<typeof createRegister<boolean>>>()
    const runs: Run[] = []
    const sent: string[] = []
    let counter = 0
    for (let kill = 0; kill < rounds * killsOfRound[short ? 'short' : 'whole']; kill++) {
      const acting = Promise.all([
        ...Array.from({ length: runsAtOnce }, async () => await saveAndRun(`check-${++counter}`)), ...(random.chance(0.5) ? [send()] : [])
      ])
      await delay(random.whole(50, 4_000))
      await mortal.kill()
      await acting
      for (const run of runs.filter(({ seen }) => seen === null)) await checkRun(arena, mortal, run, folder)
      await tidy()
      await checkSaved()
    }
    // A run that was cut off must write no more.
    await delay(lateMs)
    for (const { name, seen, ended } of runs) {
      tally.checked()
      if (seen === 'interrupted' && !ended && endsOf(folder, name) !== '') tally.wrong(`${name} was interrupted, and its command went on to its end`)
    }
    await checkSent()
    const counts = new Map<string, number>()
    for (const { seen } of runs) counts.set(seen ?? 'unknown', (counts.get(seen ?? 'unknown') ?? 0) + 1)
    tally.note(`${isConfined ? 'in' : 'without'} a sandbox; ${runs.length} runs: ${[...counts].map(([end, count]) => `${count} ${end}`).join(', ')}`)
    await mortal.stop()

    async function saveAndRun (name: string): Promise<void> {
      const fails = random.chance(0.4)
      const command = `echo $$ >> ${name}.begun; sleep 0.${random.whole(1, 9)}; echo x >> ${name}.ended; ` +
        `echo "a.txt:1:1: error: of ${name}"; exit ${fails ? 1 : 0}`
      const check = await keep(name, true, '/api/checks/save', { name, command })
      if (check === null) return
      const body = await mortal.need('/api/checks/run', { session_id: sessionId, check_ids: [check.check.id] })
      if (body === null) return
      const run: Run = { id: body.runs[0].id, name, fails, cancelled: false, seen: null, ended: false }
      runs.push(run)
      tally.tried('runs')
      if (!random.chance(0.2)) return
      await delay(random.whole(0, 600))
      const stopped = await mortal.need('/api/checks/cancel', { session_id: sessionId, run_ids: [run.id] })
      run.cancelled = stopped?.cancelled.includes(run.id) === true
    }

    /** Saves or deletes a check, and records whether that was acknowledged. */
    async function keep (name: string, isThere: boolean, path: string, body: object): Promise<Answer['body'] | null> {
      const register = saved.get(name) ?? createRegister<boolean>()
      saved.set(name, register)
      let answer: Answer['body'] | null = null
      await register.set(isThere, async () => {
        answer = await mortal.need(path, { session_id: sessionId, ...body })
        if (answer === null) throw new Error('nothing was promised')
        tally.tried('settings')
        return true
      }).catch(() => {})
      return answer
    }

    /** Sends failures to the agent: they must be in the transcript once if that was acknowledged. */
    async function send (): Promise<void> {
      const note = `note ${++counter}`
      const body = await mortal.need('/api/checks/send', { session_id: sessionId, note, if_busy: 'queue' }, [400, 409])
      if (body === null) return
      sent.push(note)
      tally.tried('messages')
    }

    /** Deletes checks, because at most twenty can be saved. */
    async function tidy (): Promise<void> {
      const body = await mortal.need(`/api/checks?session_id=${sessionId}`, undefined)
      for (const { id, name } of (body?.checks ?? []) as Array<{ id: string, name: string }>) {
        if (random.chance(0.3)) continue
        await keep(name, false, '/api/checks/delete', { id })
      }
    }

    async function checkSaved (): Promise<void> {
      const body = await mortal.need(`/api/checks?session_id=${sessionId}`, undefined)
      const there: Array<{ name: string }> = body?.checks ?? []
      const names = new Set(there.map(({ name }) => name))
      for (const [name, register] of saved) {
        tally.checked()
        if (register.isSet && !register.allows(names.has(name))) tally.lost('settings', `${name} is ${names.has(name) ? '' : 'not '}there`)
      }
    }

    async function checkSent (): Promise<void> {
      const told = async (): Promise<string[] | null> => {
        const { session } = (await mortal.need(`/api/session?session_id=${sessionId}`, undefined)) ?? {}
        return session?.active_stream_id === null && session.queued_count === undefined
          ? session.messages.filter(({ role }: { role: string }) => role === 'user').map(({ content }: { content: string }) => content)
          : null
      }
      const messages = await inTime(told, endLimitMs)
      if (messages === null) return tally.wrong(`what was sent is still at work after ${endLimitMs / 1_000} s`)
      for (const note of sent) {
        tally.checked()
        const count = messages.filter((text) => text.includes(`\n${note}\n`)).length
        if (count !== 1) tally.lost('messages', `${note} was sent, and is ${count} times in the conversation`)
      }
    }
  }
}

const linesIn = (folder: string, file: string): string[] =>
  existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').split('\n').filter((line) => line !== '') : []
const endsOf = (folder: string, name: string): string => linesIn(folder, `${name}.ended`).join()

/** Checks that an acknowledged run is over, reports how, and was begun at most once. */
async function checkRun ({ tally }: Arena, mortal: Mortal, run: Run, folder: string): Promise<void> {
  const { id, name, fails, cancelled } = run
  const found = await inTime(async () => {
    const answer = await mortal.ask(`/api/checks/run?run_id=${id}`)
    return answer !== null && !(answer.status === 200 && open.includes(answer.body.state)) && answer
  }, endLimitMs)
  tally.checked()
  if (found === null) return tally.lost('runs', `${name} still runs ${endLimitMs / 1_000} s after its service was killed`)
  if (found.status !== 200) return tally.lost('runs', `the run of ${name} is answered ${found.status}`)
  const { state, output, errors } = found.body as { state: string, output: string, errors: number }
  run.seen = state
  run.ended = endsOf(folder, name) !== ''
  const begun = linesIn(folder, `${name}.begun`)
  if (begun.length > 1) tally.wrong(`${name} was begun ${begun.length} times`)
  if (!['passed', 'failed', 'cancelled', 'interrupted'].includes(state)) tally.wrong(`${name} is ${state}`)
  if (cancelled && state !== 'cancelled') tally.lost('runs', `${name} was stopped, and is ${state}`)
  if (state === 'cancelled' && !cancelled) tally.note(`the cancel of ${name} was not acknowledged, and it is cancelled`)
  if (['passed', 'failed'].includes(state)) {
    if ((state === 'failed') !== fails) tally.wrong(`${name} ${state}, and its command does otherwise`)
    if (endsOf(folder, name) !== 'x' || errors !== 1 || !output.includes(`of ${name}`)) {
      tally.lost('runs', `${name} ${state}, and has not its result: ${output.slice(0, 300)}`)
    }
  }
  // In a sandbox with its own process ids, the number means nothing here.
  if (state === 'interrupted' && begun[0] !== undefined && Number(begun[0]) > 1_000 && isAlive(Number(begun[0]))) {
    tally.wrong(`${name} was interrupted, and its process lives`)
  }
}
