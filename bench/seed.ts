import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, type Database } from '../services/ground/database/index.js'
import { createBroker, createJournal } from '../services/ground/events/index.js'
import { createAudit } from '../services/areas/audit/index.js'
import { createRemasking, createSessions } from '../services/areas/sessions/index.js'

export interface Seeded {
  /** Path of the database. */
  file: string
  /** A session of 2,000 messages. */
  long: string
  /** The sessions of 10 messages. */
  short: string[]
}

const shortSessions = 1000
const shortMessages = 10
const longMessages = 2000
const manySessions = 500
/** Makes the long session about a megabyte. */
const messageChars = 350

/** Opens a database like a service at its first start: new texts are masked by the current rules. */
function openSeeded (file: string, clock: { now: () => number }): Database {
  const db = openDatabase({ file })
  createRemasking({ db, clock }).prepare()
  return db
}

/** Creates a profile home with 1,000 sessions of 10 messages and one of 2,000, in the service's own tables. */
export async function seed (home: string): Promise<Seeded> {
  mkdirSync(join(home, 'webui'), { recursive: true })
  const file = join(home, 'webui', 'service.db')
  const clock = { now: () => Date.now() - 86_400_000 }
  const db = openSeeded(file, clock)
  const sessions = createSessions({
    db, clock, audit: createAudit({ db, clock }), events: createBroker({ db, journal: createJournal(db) }),
    defaultModel: () => ({ model: null, provider: null })
  })
  const create = async (title: string, messages: number): Promise<string> => {
    const { id } = await sessions.create({ profile: 'default', workspace: workspaceOf(home), title })
    db.transaction(() => { fill(id, messages) })
    return id
  }
  const fill = (id: string, messages: number): void => {
    for (let index = 0; index < messages; index++) {
      const role = index % 2 === 0 ? 'user' : 'assistant'
      const content = `Message ${index}. ${'The quick brown fox jumps over the lazy dog. '.repeat(messageChars / 45)}`
      sessions.transcript.append(id, clock.now() / 1000, { role, content, replay: { role, content: [{ type: 'text', text: content }] } })
    }
  }
  const seeded = {
    file,
    long: await create('A long conversation', longMessages),
    short: await Promise.all(Array.from({ length: shortSessions }, (_, index) => create(`Conversation ${index}`, shortMessages)))
  }
  db.close()
  return seeded
}

/**
 * Creates a home with the given number of messages, with distinguishable words, in `count` sessions. Returns the id of the
 * first one.
 */
export async function seedMany (home: string, messages: number, count = manySessions): Promise<{ session: string }> {
  mkdirSync(join(home, 'webui'), { recursive: true })
  const clock = { now: () => Date.now() - 86_400_000 }
  const db = openSeeded(join(home, 'webui', 'service.db'), clock)
  const sessions = createSessions({
    db, clock, audit: createAudit({ db, clock }), events: createBroker({ db, journal: createJournal(db) }),
    defaultModel: () => ({ model: null, provider: null })
  })
  let word = 1
  const next = (): string => `word${(word = (word * 48_271) % 2_147_483_647) % 5_000}`
  const append = (id: string, index: number): void => {
    const role = index % 2 === 0 ? 'user' : 'assistant'
    const content = Array.from({ length: 12 }, next).join(' ')
    sessions.transcript.append(id, clock.now() / 1000, { role, content, replay: { role, content: [{ type: 'text', text: content }] } })
  }
  let session = ''
  for (let made = 0; made < count; made += manySessions) {
    const ids = await Promise.all(Array.from({ length: Math.min(manySessions, count - made) }, async (_, index) =>
      (await sessions.create({ profile: 'default', workspace: workspaceOf(home), title: `Large ${made + index}` })).id))
    session ||= ids[0] ?? ''
    // The first sessions have one message more if the number cannot be divided.
    const due = ids.map((_, index) => Math.floor(messages / count) + (made + index < messages % count ? 1 : 0))
    for (let from = 0; from < Math.max(...due); from += 20) {
      db.transaction(() => {
        for (const [at, id] of ids.entries()) {
          for (let index = from; index < Math.min(from + 20, due[at] ?? 0); index++) append(id, index)
        }
      })
    }
  }
  db.close()
  return { session }
}

/** Adds sessions, for lists; without messages by default. */
export async function seedSessions (home: string, count: number, messages = 0): Promise<void> {
  const clock = { now: () => Date.now() - 2 * 86_400_000 }
  const db = openSeeded(join(home, 'webui', 'service.db'), clock)
  const sessions = createSessions({
    db, clock, audit: createAudit({ db, clock }), events: createBroker({ db, journal: createJournal(db) }),
    defaultModel: () => ({ model: null, provider: null })
  })
  for (let made = 0; made < count; made += 500) {
    const created = await Promise.all(Array.from({ length: Math.min(500, count - made) }, async (_, index) =>
      await sessions.create({ profile: 'default', workspace: workspaceOf(home), title: `Listed ${made + index}` })))
    db.transaction(() => {
      for (const { id } of created) {
        for (let index = 0; index < messages; index++) {
          const role = index % 2 === 0 ? 'user' : 'assistant'
          sessions.transcript.append(id, clock.now() / 1000, { role, content: `Message ${index}.` })
        }
      }
    })
  }
  db.close()
}

/** Creates the workspace of a home for measurements, with a file for the agent to read. */
export function prepareWorkspace (home: string): void {
  mkdirSync(workspaceOf(home), { recursive: true })
  writeFileSync(join(workspaceOf(home), 'notes.txt'), 'first line\nsecond line\nthird line\n')
}

export const workspaceOf = (home: string): string => join(home, 'workspace')
