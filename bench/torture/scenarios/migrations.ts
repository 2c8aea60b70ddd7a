import Sqlite from 'better-sqlite3'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../../test/support/listening.js'
import { startServer } from '../../../test/support/upgrading.js'
import { call } from '../../wire.js'
import { type Arena } from '../arena.js'
import { checkState } from '../check-ledger.js'
import { makeOldDatabase, migrationCount, type OldSession } from '../databases.js'
import { columnsOf, fillFirstTables, missingRows, rowsOf, type Rows } from '../old-rows.js'
import { type Scenario } from '../scenario.js'

const [leastKills, mostKills] = [3, 10]
const upLimitMs = 60_000

export const killedMigrations: Scenario = {
  name: 'migrations',
  says: `a database of the first version whose migrating start is killed up to ${mostKills} times: every row is kept`,
  short: false,
  async run (arena) {
    const { tally, rounds } = arena
    for (let round = 0; round < rounds; round++) {
      const home = `${arena.folder}/round-${round}`
      const file = arena.databaseFile(home)
      const sessions = oldSessions(round)
      makeOldDatabase(file, 1, sessions)
      fillFirstTables(file, sessions.slice(0, 50).map(({ id }) => id))
      const columns = columnsOf(file)
      const before = rowsOf(file, columns)
      for (const rows of before.values()) tally.tried('rows', rows.length)
      const midway = await killStarts(arena, home)
      const service = await arena.ready({ home })
      await compareService(arena, service.url, sessions)
      await arena.stop(service)
      checkState({ databaseFile: file, tally })
      expectRows(arena, before, rowsOf(file, columns), 'after the migration')
      const migrated = rowsOf(file)
      await arena.stop(await arena.ready({ home }))
      expectRows(arena, migrated, rowsOf(file), 'after a second start')
      tally.note(`round ${round}: ${midway} of the kills came in the middle of the migrations`)
    }
  }
}

const oldSessions = (round: number): OldSession[] => Array.from({ length: 400 }, (_, index) => ({
  id: `first${round}x${index}`,
  title: `Conversation ${index}`,
  messages: Array.from({ length: 50 }, (_, position) => `Text ${position} of ${index}, naïve ☃. ${'Some words that are looked for. '.repeat(10)}`)
}))

/** Starts and kills the service at random moments; returns how often it was between its first and its last migration. */
async function killStarts (arena: Arena, home: string): Promise<number> {
  const { tally, random } = arena
  const file = arena.databaseFile(home)
  let midway = 0
  for (let kill = random.whole(leastKills, mostKills); kill > 0; kill--) {
    const port = await freePort()
    const { kill: end, output } = startServer({ teardown: arena.later, fail: tally.wrong }, home, port)
    tally.tried('starts')
    await untilUpgrading(port, output)
    await delay(random.whole(0, 250))
    await end()
    tally.tried('kills')
    if (isMidway(file)) midway++
  }
  return midway
}

/** Waits until the start reports that it migrates, or has finished. */
async function untilUpgrading (port: number, output: () => string): Promise<void> {
  const untilMs = performance.now() + upLimitMs
  while (performance.now() < untilMs) {
    if (/Ready at/.test(output()) || await fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status === 503, () => false)) return
    await delay(5)
  }
  throw new Error(`a start neither migrated nor was ready within ${upLimitMs / 1000} s: ${output().slice(-300)}`)
}

function isMidway (file: string): boolean {
  const db = new Sqlite(file)
  try {
    const had = db.prepare('select count(*) from __drizzle_migrations').pluck().get() as number
    return had < migrationCount() || db.prepare("select 1 from settings where key = 'migration'").get() !== undefined
  } finally {
    db.close()
  }
}

/** Checks what people see: every session is listed, with its messages. */
async function compareService ({ tally }: Arena, url: string, sessions: OldSession[]): Promise<void> {
  const { sessions: shown } = (await call(`${url}/api/sessions`)).body as { sessions: Array<{ session_id: string }> }
  const listed = new Set(shown.map(({ session_id: id }) => id))
  for (const { id, messages } of sessions) {
    tally.checked()
    if (!listed.has(id)) tally.lost('sessions', `${id} is not listed`)
    const { status, body } = await call(`${url}/api/session?session_id=${id}`)
    const contents = status === 200 ? (body.session.messages as Array<{ content: string }>).map(({ content }) => content) : []
    tally.checked(messages.length)
    for (const message of messages) {
      if (!contents.includes(message)) tally.lost('messages', `"${message.slice(0, 40)}" of ${id} is gone (the session answers ${status})`)
    }
  }
}

function expectRows ({ tally }: Arena, before: Rows, after: Rows, when: string): void {
  for (const rows of before.values()) tally.checked(rows.length)
  for (const { table, gone } of missingRows(before, after)) {
    tally.lost('rows', `${when} ${gone.length} rows of ${table} are gone or changed: ${gone[0]?.slice(0, 200)}`)
  }
}
