import Sqlite from 'better-sqlite3'
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { emptyRepository, needsGit, type TestRepository } from '../../../test/support/git-repository.js'
import { startModelEndpoint, type ModelRequest, type ModelStep } from '../../../test/support/model-endpoint.js'
import { type Arena } from '../arena.js'
import { checkState } from '../check-ledger.js'
import { createMortal, inTime, type Mortal } from '../mortal.js'
import { type Random } from '../random.js'
import { type Scenario } from '../scenario.js'

const roundsOfRound = { whole: 2, short: 1 } as const
const count = 2
const endLimitMs = 120_000
const files = ['a.txt', 'new/b.txt', 'new/c.txt']
const over = ['done', 'failed', 'cancelled', 'stopped']

interface Attempt {
  session_id: string, workspace: string, state: string, has_worktree: boolean, check_passed: boolean | null, review: string | null
}
interface Attempts { state: string, sessions: Attempt[], taken_session_id: string | null }

export const attempts: Scenario = {
  name: 'attempts',
  says: 'kill -9 of the service, alone or with its agent process, while attempts begin, work, are checked, reviewed and judged, and while one is applied, undone and removed',
  short: false,
  missing: () => needsGit.skip,
  async run (arena) {
    const { random, tally, short, rounds } = arena
    const endpoint = await startModelEndpoint({ models: ['trying'] })
    arena.later(() => endpoint.close())
    endpoint.script((request) => answerTo(request, random))
    const folder = realpathSync(arena.folder)
    mkdirSync(join(folder, 'home'), { recursive: true })
    writeFileSync(join(folder, 'home', 'config.yaml'), 'approvals:\n  allow: ["write:workspace"]\n')
    const repository = emptyRepository(join(folder, 'workspace', 'app'))
    repository.write('a.txt')
    repository.commitAll('First')
    const before = stands(repository)
    const taken = files.map(() => 'new\n').join()
    const mortal = await createMortal(arena, { env: { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: endpoint.url } })
    const gone = new Set<string>()
    const list = async (): Promise<string[]> => (await mortal.need('/api/attempts/list', undefined))?.attempts
      .map(({ attempts_id: id }: { attempts_id: string }) => id).filter((id: string) => !gone.has(id)) ?? []

    for (let round = 0; round < rounds * roundsOfRound[short ? 'short' : 'whole']; round++) {
      const model = { model: 'trying', provider: 'openai' }
      const begun = await struck('begin', 1_500, '/api/attempts', {
        workspace: repository.root, message: `Do it ${round}`, models: [model], count, check: 'sleep 0.3; test -f new/b.txt', reviewer: model
      })
      if (begun !== null) tally.tried('attempts')
      // In the middle of turns, checks, reviews and judging.
      for (let kill = 0; kill < 2; kill++) {
        await delay(random.whole(0, 3_000))
        await mortal.kill()
      }
      const known = await list()
      tally.checked()
      if (begun !== null && !known.includes(begun.attempts_id)) tally.lost('attempts', `${begun.attempts_id} was acknowledged and is not there`)
      for (const id of known) await tryOut(id)
      await expectFolder('before', before, round)
      const status = repository.git('status', '--porcelain')
      if (status !== '') tally.wrong(`the repository is left with ${status}`)
    }
    tally.note(`${gone.size} attempts at ${count} each`)
    await mortal.stop()
    checkState({ databaseFile: arena.databaseFile(), tally })

    /** Sends a request, and kills the service meanwhile, or after it; null: nothing was promised. */
    async function struck (what: string, withinMs: number, path: string, body: object): Promise<any> { // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is looked into as it is
      const answer = mortal.need(path, body)
      // After it was acknowledged, or before that.
      await (random.chance(0.6) ? answer : Promise.race([answer, delay(random.whole(0, withinMs))]))
      await mortal.kill()
      const said = await answer
      tally.checked()
      if (said !== null && said.ok === false) tally.wrong(`${what} is answered ${JSON.stringify(said).slice(0, 200)}`)
      return said
    }

    /** Lets attempts end; those that are done are taken, undone and removed, with a kill during each. */
    async function tryOut (id: string): Promise<void> {
      const ready = await settled(arena, mortal, id)
      if (ready === null) {
        gone.add(id)
        return
      }
      const done = ready.sessions.find(({ state }) => state === 'done')
      if (done !== undefined) {
        await moved('take', id, done.session_id, taken)
        if ((await settled(arena, mortal, id))?.taken_session_id === done.session_id) await moved('undo', id, done.session_id, before)
        if (stands(repository) !== before) {
          await mortal.need('/api/attempts/undo', { attempts_id: id })
          await expectFolder('after it was taken back', before, 0)
        }
      }
      await struck('remove', 300, '/api/attempts/remove', { attempts_id: id })
      // What was not acknowledged is requested again.
      await mortal.need('/api/attempts/remove', { attempts_id: id })
      gone.add(id)
      const left = await inTime(async () => worktreesOf(repository) === 0 || null, endLimitMs)
      if (left === null) tally.wrong(`${worktreesOf(repository)} worktrees are left of attempts that were removed`)
    }

    /** Checks that it happened completely or not at all; if it was acknowledged, completely. */
    async function moved (what: 'take' | 'undo', id: string, sessionId: string, wanted: string): Promise<void> {
      const was = stands(repository)
      const answer = await struck(what, 400, `/api/attempts/${what}`, { attempts_id: id, ...(what === 'take' && { session_id: sessionId }) })
      // Until the service has finished what the kill interrupted, neither state is the last one.
      await inTime(async () => !isWriting(), endLimitMs)
      const found = await inTime(async () => {
        const { body } = await mortal.ask(`/api/attempts?attempts_id=${id}`) ?? {}
        const isTaken = body?.taken_session_id === sessionId
        const expected = isTaken === (what === 'take') ? wanted : was
        return stands(repository) === expected && (answer === null || expected === wanted) && expected
      }, endLimitMs)
      tally.checked()
      if (found !== null) return
      tally.lost('attempts', `${what} of ${id} ${answer === null ? 'was not' : 'was'} acknowledged, and the folder holds ${stands(repository)}`)
    }

    function isWriting (): boolean {
      const db = new Sqlite(arena.databaseFile(), { readonly: true })
      try {
        return db.prepare("select 1 from attempt_takes where state = 'writing'").get() !== undefined
      } finally {
        db.close()
      }
    }

    async function expectFolder (when: string, wanted: string, round: number): Promise<void> {
      tally.checked()
      if (await inTime(async () => stands(repository) === wanted || null, 5_000) === null) {
        tally.lost('saves', `round ${round}, ${when}: the folder holds ${stands(repository)} and not ${wanted}`)
      }
    }
  }
}

/** Each attempt writes three files; its reviews come after a while. */
function answerTo ({ stream, messages }: ModelRequest, random: Random): ModelStep[] {
  const system = String(messages[0]?.content)
  const wait = { waitMs: random.whole(0, 600) }
  if (system.startsWith('Task: compare')) return [wait, { text: '{"best": 1, "reasons": {"1": "Good.", "2": "Bad."}}' }]
  if (!stream) return [wait, { text: 'A title, or a review' }]
  return messages.some(({ role }) => role === 'tool')
    ? [wait, { text: 'Done.' }]
    : [wait, ...files.map((path, at): ModelStep => ({ tool: 'write_file', args: { path, content: 'new\n' }, id: `call_${at}` }))]
}

const stands = (repository: TestRepository): string => files.map((name) => repository.has(name) ? repository.read(name) : '-').join()
const worktreesOf = (repository: TestRepository): number =>
  repository.git('worktree', 'list', '--porcelain').split('\n').filter((line) => line.startsWith('worktree ')).length - 1

/** Waits until all attempts are over and judged, with the check results of each that is done. */
async function settled ({ tally }: Arena, mortal: Mortal, id: string): Promise<Attempts | null> {
  const found = await inTime(async () => {
    const { body } = await mortal.ask(`/api/attempts?attempts_id=${id}`) ?? {}
    return body?.state === 'ready' && (body as Attempts).sessions.every(({ state }) => over.includes(state)) && body as Attempts
  }, endLimitMs)
  tally.checked()
  if (found === null) {
    const { body } = await mortal.ask(`/api/attempts?attempts_id=${id}`) ?? {}
    tally.lost('attempts', `${id} is not over after ${endLimitMs / 1_000} s: ${JSON.stringify(body).slice(0, 600)}`)
    return null
  }
  if (found.sessions.length !== count) tally.lost('attempts', `${id} has ${found.sessions.length} attempts, not ${count}`)
  for (const { state, has_worktree: hasWorktree, workspace, check_passed: passed, review } of found.sessions) {
    tally.checked()
    if (hasWorktree !== existsSync(workspace)) tally.wrong(`an attempt of ${id} ${hasWorktree ? 'has no' : 'still has its'} worktree`)
    if (state === 'done' && (passed !== true || review === null)) {
      tally.wrong(`an attempt of ${id} is done, and its check says ${String(passed)}, its review ${String(review)}`)
    }
  }
  return found
}
