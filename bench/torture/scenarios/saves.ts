import Sqlite from 'better-sqlite3'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asset } from '../../../services/ground/assets.js'
import { type ServerProcess } from '../../../test/support/server.js'
import { isAlive } from '../../processes.js'
import { scratchFiles, type Arena } from '../arena.js'
import { checkDatabase } from '../check-database.js'
import { Gone } from '../client.js'
import { inTime } from '../mortal.js'
import { type Random } from '../random.js'
import { access } from '../saves/access.js'
import { configuring } from '../saves/configuring.js'
import { conversations } from '../saves/conversations.js'
import { texts, uploads } from '../saves/files.js'
import { type Kind, type Person } from '../saves/kind.js'
import { createPerson } from '../saves/person.js'
import { skillArchives, skills } from '../saves/skills.js'
import { turning } from '../saves/turns.js'
import { type Scenario } from '../scenario.js'

const killsPerRound = 6
const mostChanges = 8
const longestLifeMs = 60_000
/** Between two changes of a person; others leave the machine to those whose changes are counted. */
const longestPauseMs = { counted: 20, other: 1_500 } as const
/** A start takes about a second, most of which is reading the program. */
const longestStartMs = 1_200
const calmLimitMs = 20_000
/** The service looks for what a kill has left some seconds after its start. */
const sweptWithinMs = 15_000
/** How many changes of each kind a round must have at least, so that none is tried in name only. */
const leastPerRound = 1

export const saves: Scenario = {
  name: 'saves',
  says: 'kill -9, also during the start, while everything that a person can save is changed at once: what was acknowledged is there, once',
  short: false,
  async run (arena) {
    const { random, tally, rounds } = arena
    const { url: modelUrl } = await arena.endpoint(400)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl }
    const kinds: Kind[] = [...configuring(), ...access(), skills(), skillArchives(), texts(), uploads(), ...conversations(), ...turning()]
    let service = await arena.ready({ env })
    let order = kinds
    for (let kill = 0; kill < killsPerRound * rounds; kill++) {
      const turn = kill % killsPerRound
      if (turn === 0) order = shuffled(kinds, random)
      // Ended by changes of some kinds and not by time, so that slow kinds and slow machines have their share: each kind once in a round.
      const life: Life = { over: false, counted: order.filter((_, at) => at % killsPerRound === turn) }
      const before = life.counted.map(({ book }) => book.changes)
      const most = random.whole(life.counted.length, mostChanges)
      const working = Promise.all(kinds.map(async (kind) => await keepChanging(arena, service, kind, life)))
      await inTime(() => {
        const changes = life.counted.map(({ book }, at) => book.changes - (before[at] ?? 0))
        return Promise.resolve(Math.min(...changes) > 0 && changes.reduce((sum, count) => sum + count) >= most)
      }, longestLifeMs)
      life.over = true
      await (random.chance(0.5) ? service.crash() : service.end('SIGKILL'))
      tally.tried('kills')
      await working
      if (random.chance(0.5)) await killStart(arena, env)
      service = await arena.ready({ env })
      await compare(arena, service, kinds)
      if (kill + 1 === killsPerRound * rounds || random.chance(0.5)) await checkFolder(arena)
    }
    await arena.stop(service)
    for (const { name, book } of kinds) {
      tally.tried('changes', book.changes)
      if (book.changes < leastPerRound * rounds) tally.wrong(`${name}: only ${book.changes} changes were acknowledged, which tries too little`)
    }
    tally.note(kinds.map(({ name, book }) => `${name} ${book.changes}`).join(', '))
    for (const { note } of kinds) if (note !== undefined) tally.note(note())
  }
}

/** The time between a start and a kill, which the kinds that are counted end. */
interface Life { over: boolean, counted: readonly Kind[] }

const shuffled = <T> (list: readonly T[], random: Random): T[] =>
  list.map((one) => ({ one, at: random.next() })).sort((first, second) => first.at - second.at).map(({ one }) => one)

/** Makes one change after the other until the service is gone. */
async function keepChanging (arena: Arena, service: ServerProcess, kind: Kind, life: Life): Promise<void> {
  const person = createPerson(arena, service.url, `${kind.name} ${arena.random.next()}`)
  const before = kind.book.changes
  try {
    while (!life.over) {
      await kind.act(person)
      const isCounted = life.counted.includes(kind) && kind.book.changes - before < mostChanges
      await delay(person.random.whole(0, longestPauseMs[isCounted ? 'counted' : 'other']))
    }
  } catch (error) {
    if (!(error instanceof Gone)) throw error
  }
}

/** Kills a service at a random moment of its start. */
async function killStart (arena: Arena, env: Record<string, string>): Promise<void> {
  const seconds = arena.random.whole(50, longestStartMs) / 1_000
  const program: [string, ...string[]] = ['timeout', '--foreground', '--signal=KILL', String(seconds), process.execPath, asset('dist/server.js')]
  const service = await arena.service({ env, program })
  await service.exited
  arena.tally.tried('kills')
}

async function compare (arena: Arena, service: ServerProcess, kinds: readonly Kind[]): Promise<void> {
  const { tally } = arena
  const person = createPerson(arena, service.url, 'reader')
  let left: { active_streams?: number, sessions?: unknown[] } = {}
  const isCalm = await inTime(async () => {
    await denyAll(person)
    left = { active_streams: (await person.ask('/health')).body.active_streams, sessions: half(arena) }
    return left.active_streams === 0 && left.sessions?.length === 0
  }, calmLimitMs)
  if (isCalm === null) tally.wrong(`${calmLimitMs / 1_000} s after the start, this is not over: ${JSON.stringify(left)}`)
  for (const { name, book, shown } of kinds) {
    const there = await shown(person)
    tally.checked(book.size)
    const { lost, wrong } = book.compare(there)
    for (const text of lost) tally.lost('changes', `${name}: ${text}`)
    for (const text of wrong) tally.wrong(`${name}: ${text}`)
  }
  checkDatabase({ databaseFile: arena.databaseFile(), tally: arena.tally }, mustNotBe)
}

/** Denies what turns ask for that were cut off from whoever would have answered. */
async function denyAll (person: Person): Promise<void> {
  const { body } = await person.ask('/api/prompts')
  for (const { type, approval_id: id, session_id: sessionId } of body.prompts as Array<Record<string, string>>) {
    // Refused while its turn has not reached its host again.
    if (type === 'approval') await person.ask('/api/approval/respond', { session_id: sessionId, approval_id: id, choice: 'deny' })
  }
}

/** Returns sessions that are half made, or half deleted. */
function half (arena: Arena): unknown[] {
  const db = new Sqlite(arena.databaseFile(), { readonly: true })
  try {
    // A temporary chat is not shown before its first message.
    return db.prepare('select id, title, source from sessions where hidden = 1 and temporary = 0').all()
  } finally {
    db.close()
  }
}

const mustNotBe = {
  'budgets of which something was spent twice, or not counted': `
    select id, tokens, (select coalesce(sum(input_tokens + output_tokens), 0) from usage where session_id = budget_use.id) as used
    from budget_use where scope = 'session' and tokens <> used`,
  'use that no budget has counted': `
    select session_id, sum(input_tokens + output_tokens) as used from usage where session_id in (select id from sessions)
    and session_id not in (select id from budget_use where scope = 'session') group by session_id having used > 0`,
  'messages of no session': 'select distinct session_id from messages where session_id not in (select id from sessions)',
  'streams of no session': 'select id from streams where session_id not in (select id from sessions)',
  'frames of no stream': 'select distinct stream_id from frames where stream_id not in (select id from streams)',
  'message counts that are wrong': `
    select id, message_count from sessions
    where hidden = 0 and message_count <> (select count(*) from messages where session_id = sessions.id)`
} as const

/** Checks that nothing half written is left, some time after the last start. */
async function checkFolder (arena: Arena): Promise<void> {
  const { tally } = arena
  await inTime(() => Promise.resolve(leftIn(arena).length === 0), sweptWithinMs)
  for (const left of leftIn(arena)) tally.wrong(`left lying after a kill and a start: ${left}`)
  tally.checked()
}

/** Returns half-written files and folders, and files of sessions that do not exist. */
function leftIn (arena: Arena): string[] {
  const { folder } = arena
  const attachments = join(folder, 'home', 'webui', 'attachments')
  const db = new Sqlite(arena.databaseFile(), { readonly: true })
  try {
    const has = db.prepare('select 1 from sessions where id = ?')
    const orphans = existsSync(attachments) ? readdirSync(attachments).filter((id) => !id.startsWith('.') && has.get(id) === undefined) : []
    const hidden = readdirSync(join(folder, 'home'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      /(?:^|\/)(?:\.deleted-[0-9a-f]+|\.new-[0-9a-f]+|\.[0-9a-f]{12}\.part)$/.test(path))
    return [
      ...scratchFiles(folder).filter((file) => !isInUse(file)), ...orphans.map((id) => `attachments of ${id}, a session that does not exist`),
      ...hidden, ...unusedIn(join(folder, 'home'))
    ]
  } finally {
    db.close()
  }
}

/** Returns archives of skills that were not unpacked to the end, and copies of plugins that are not on. */
function unusedIn (home: string): string[] {
  const [imports, copies] = [join(home, 'skills', '.imports'), join(home, 'webui_state', 'plugins')]
  const namesIn = (folder: string): string[] => existsSync(folder) ? readdirSync(folder) : []
  const list = join(copies, 'accepted.json')
  const accepted = existsSync(list) ? Object.entries((JSON.parse(readFileSync(list, 'utf8')) as { plugins: Record<string, string> }).plugins) : []
  const used = accepted.map(([name, seal]) => `${name}-${seal.slice(0, 16)}`)
  return [
    ...namesIn(imports).filter((id) => !existsSync(join(imports, id, 'import.json'))).map((id) => join(imports, id)),
    ...namesIn(copies).filter((name) => name !== 'accepted.json' && !used.includes(name)).map((name) => join(copies, name))
  ]
}

/** Whether a process that its name mentions still works with a scratch folder. */
function isInUse (file: string): boolean {
  const pid = /^tmp\/agent-[a-z]+-\d+-(\d+)-/.exec(file)?.[1]
  return pid !== undefined && isAlive(Number(pid))
}
