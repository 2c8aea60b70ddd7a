import Sqlite from 'better-sqlite3'
import { createCrew } from '../crew.js'
import { makeNewer } from '../databases.js'
import { type Scenario } from '../scenario.js'
import { expectRefusal } from '../starts.js'

const tables = ['sessions', 'messages', 'streams', '__drizzle_migrations']

export const newerDatabase: Scenario = {
  name: 'newer-database',
  says: 'a database that a newer version has opened is refused, and left as it is',
  short: false,
  async run (arena) {
    const env = { OFFLINE_DEMO_WORDS_PER_SECOND: '0' }
    const first = await arena.ready({ env })
    await createCrew(arena).client(first).turn(await createCrew(arena).client(first).newSession(), 'help')
    await arena.stop(first)
    const file = arena.databaseFile()
    makeNewer(file)
    const rows = (): string => {
      const db = new Sqlite(file, { readonly: true })
      const found = JSON.stringify(
        tables.map((table) => db.prepare(`select * from ${table}`).all())
      )
      db.close()
      return found
    }
    const before = rows()
    await expectRefusal(arena, 'a newer database', { env }, /newer/i)
    // The refusal, and every table that is compared.
    arena.tally.checked(1 + tables.length)
    if (rows() !== before) arena.tally.lost('messages', 'a newer database was changed')
  }
}
