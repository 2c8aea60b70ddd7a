import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../services/ground/database/index.js'
import { createBroker, createJournal } from '../../services/ground/events/index.js'
import { createAudit } from '../../services/areas/audit/index.js'
import { createRemasking, createSessions } from '../../services/areas/sessions/index.js'
import { allHostile } from './hostile-texts.js'

/** Ids of sessions. */
export interface Large { hostile: string, many: string, steps: string }

/** Numbers of characters, messages, long answers and sessions. */
export interface LargeSizes { hostileChars: number, messages: number, answers: number, sessions: number }

/**
 * Adds to the home of a service that is not running: a session of hostile text, one of very many messages, one of many long ones with
 * the frames of turns, and many sessions.
 */
export function seedLarge (home: string, workspace: string, sizes: LargeSizes): Large {
  const large = { hostile: '20260101_000000_aaaaaa', many: '20260101_000000_bbbbbb', steps: '20260101_000000_cccccc' }
  const file = join(home, 'webui', 'service.db')
  if (existsSync(file)) return large
  mkdirSync(join(home, 'webui'), { recursive: true })
  const db = openDatabase({ file })
  const clock = { now: () => Date.now() - 86_400_000 }
  // Like a service at its first start: new texts are masked by the current rules.
  createRemasking({ db, clock }).prepare()
  const journal = createJournal(db)
  const sessions = createSessions({ db, clock, audit: createAudit({ db, clock }), events: createBroker({ db, journal }), defaultModel: () => ({ model: null, provider: null }) })
  const insert = (id: string, title: string): void => { sessions.insert({ id, profile: 'default', workspace, title }) }
  const fill = (id: string, count: number, text: (index: number) => string): void => {
    db.transaction(() => { insert(id, 'Large') })
    for (let from = 0; from < count; from += 1_000) {
      db.transaction(() => {
        for (let index = from; index < Math.min(count, from + 1_000); index++) {
          const role = index % 2 === 0 ? 'user' : 'assistant'
          const content = text(index)
          sessions.transcript.append(id, clock.now() / 1000, { role, content, replay: { role, content: [{ type: 'text', text: content }] } })
        }
      })
    }
  }
  fill(large.hostile, 10, () => allHostile(sizes.hostileChars / 10))
  fill(large.many, sizes.messages, (index) => `Message ${index}. The quick brown fox jumps over the lazy dog, and then another one.`)
  fill(large.steps, sizes.answers, (index) => `A longer answer ${index}. ${'The quick brown fox jumps over the lazy dog. '.repeat(40)}`)
  const token = { event: 'token', data: JSON.stringify({ text: 'quick brown ' }) }
  const end = { event: 'done', data: JSON.stringify({ session: 'The quick brown fox. '.repeat(15_000) }) }
  for (let turn = 0; turn < sizes.answers / 50; turn++) {
    db.transaction(() => {
      db.sqlite.prepare("insert into streams (id, session_id, kind, state, generation, started_at, ended_at) values (?, ?, 'chat', 'closed', 1, ?, ?)")
        .run(`turn${turn}`, large.steps, clock.now() / 1000, clock.now() / 1000)
      journal.append(`turn${turn}`, 1, [...Array.from({ length: 1_000 }, () => token), end])
    })
  }
  for (let from = 0; from < sizes.sessions; from += 1_000) {
    db.transaction(() => {
      for (let index = from; index < Math.min(sizes.sessions, from + 1_000); index++) {
        const id = `20250101_000000_${index.toString(16).padStart(6, '0')}`
        insert(id, `Listed ${index}`)
        sessions.transcript.append(id, clock.now() / 1000, { role: 'user', content: `Message ${index}` })
      }
    })
  }
  db.close()
  return large
}
