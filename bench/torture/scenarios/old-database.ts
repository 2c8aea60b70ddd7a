import { call } from '../../wire.js'
import { join } from 'node:path'
import { checkState } from '../check-ledger.js'
import { createCrew } from '../crew.js'
import { makeOldDatabase, migrationCount, type OldSession } from '../databases.js'
import { type Scenario } from '../scenario.js'

export const oldDatabase: Scenario = {
  name: 'old-database',
  says: 'databases of every earlier version are migrated with everything in them',
  short: false,
  async run (arena) {
    const { tally, short } = arena
    const { url: modelUrl } = await arena.endpoint(200)
    for (let count = 1; count < migrationCount(); count++) {
      const home = join(arena.folder, `after-${count}`)
      const sessions: OldSession[] = Array.from({ length: short ? 5 : 200 }, (_, index) => ({
        id: `old${count}x${index}`, title: `Conversation ${index}`, messages: Array.from({ length: 2 * (index % 5 + 1) }, (_, position) =>
          `Text ${position} of ${index}, naïve ☃ word${index}x${position}`)
      }))
      makeOldDatabase(arena.databaseFile(home), count, sessions)
      const service = await arena.ready({ home, env: { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl } })
      tally.tried('sessions', sessions.length)
      const listed = new Set(
        ((await call(`${service.url}/api/sessions`)).body.sessions as Array<{ session_id: string }>).map(({ session_id: id }) => id)
      )
      for (const { id, messages } of sessions) {
        tally.tried('messages', messages.length)
        if (!listed.has(id)) tally.lost('sessions', `after migration ${count}: ${id} is not listed`)
        const { status, body } = await call(`${service.url}/api/session?session_id=${id}`)
        const contents = status === 200 ? (body.session.messages as Array<{ content: string }>).map(({ content }) => content) : []
        for (const message of messages) {
          if (!contents.includes(
            message
          )) tally.lost('messages', `after migration ${count}: "${message}" of ${id} is gone (the session answers ${status})`)
        }
      }
      const wanted = sessions.at(-1)!
      const found = (await call(`${service.url}/api/sessions/search?q=word${sessions.length - 1}x0&depth=0`)).body as {
        sessions: Array<{ session_id: string }>
      }
      if (!found.sessions.some(({ session_id: id }) => id === wanted.id)) {
        tally.lost('messages', `after migration ${count}: an old message is not found by a search`)
      }
      const turn = await createCrew(arena).client(service).turn(wanted.id, 'words=5')
      if (turn.received.at(-1)?.event !== 'stream_end') {
        tally.wrong(`after migration ${count}: a turn in an old session ended with ${turn.received.at(-1)?.event}`)
      }
      await arena.stop(service)
      checkState({ databaseFile: arena.databaseFile(home), tally })
    }
  }
}
