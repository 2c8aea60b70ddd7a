import { type BesidePlan, type Chat, type OpenInput, type StartedTurn } from '../chat/index.js'
import { createAges, type Clock, type Dated } from '../../ground/time/clock.js'
import { oneRow, type Database } from '../../ground/database/index.js'
import { Invalid, TooMany } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type Sessions } from '../sessions/index.js'
import { beginning } from './titles.js'

export interface BtwOptions {
  db: Database
  clock: Clock
  sessions: Sessions
  chat: Pick<Chat, 'open' | 'planAgain'>
  log: Log
}

/** How many side questions of a conversation may be open at once. */
const perSession = 4
const steps = 20
/** How long an answer can be read again before it is deleted. */
const keptS = 10 * 60

/**
 * Side questions: answered from a snapshot of a conversation, with read-only tools, in a hidden session that is deleted later. The
 * conversation never learns of them.
 */
export function createBtw ({ db, clock, sessions, chat, log }: BtwOptions) {
  // Joined with the streams, so that counting a conversation's open questions takes one statement, and so does finding those that are over.
  const open = db.sqlite.prepare<[string], number>(
    `select count(*) from sessions join streams on streams.session_id = sessions.id
     where parent_session_id = ? and source = 'btw' and hidden = 1 and streams.state <> 'closed'`).pluck()
  const over = db.sqlite.prepare<[], Dated>(
    `select id, max(created_at, coalesce((select max(ended_at) from streams where session_id = sessions.id), 0)) as atS from sessions
     where source = 'btw' and hidden = 1 and not exists (select 1 from streams where session_id = sessions.id and state <> 'closed')`)
  const ages = createAges(clock)
  const planFor = (parentId: string): BesidePlan =>
    ({ toolset: 'reading', promptsIn: parentId, attended: false, ephemeral: true, reads: parentId, steps })
  chat.planAgain('btw', ({ sessionId }) => {
    const { parentSessionId } = sessions.get(sessionId)
    return parentSessionId === null ? null : planFor(parentSessionId)
  })

  return {
    /**
     * `accepted` runs in the transaction that stores the question. Throws NotFound, Invalid (a blank
     * question, a sub-agent's session) and TooMany.
     */
    async ask (parentId: string, question: string, accepted?: OpenInput['accepted']): Promise<StartedTurn> {
      const parent = sessions.get(parentId)
      if (question.trim() === '') throw new Invalid('question is required')
      if (parent.source === 'subagent') throw new Invalid('A sub-agent\'s session can only be read')
      const input = {
        message: question, attachments: [],
        ...(parent.model === null ? {} : { model: parent.model, modelProvider: parent.modelProvider ?? undefined })
      }
      return await chat.open({
        session: () => {
          // The session may have been deleted since it was looked up.
          const { profile, workspace } = sessions.get(parentId)
          if (oneRow(open, parentId) >= perSession) {
            throw new TooMany(`At most ${perSession} side questions at once. Wait for an answer`)
          }
          return sessions.insert({
            profile, workspace, title: `btw: ${beginning(question)}`, source: 'btw', hidden: true, parentSessionId: parentId
          })
        },
        input,
        accepted,
        plan: () => ({ kind: 'btw', input, ...planFor(parentId) })
      })
    },

    /** Removes questions that were answered long enough ago. */
    async sweep (): Promise<void> {
      for (const id of ages.old(over.all(), keptS)) {
        await sessions.remove(id).catch((error: unknown) =>
          log('a side question could not be removed', { sessionId: id, reason: String(error) }))
      }
    }
  }
}

export type Btw = ReturnType<typeof createBtw>
