import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Invalid } from '../../ground/errors.js'
import { createRetention, type EventBroker } from '../../ground/events/index.js'
import { sessionId as newSessionId } from '../../ground/ids.js'
import { Listeners } from '../../ground/listeners.js'
import { type Log } from '../../ground/log.js'
import { type AuditPort } from '../audit/index.js'
import { createSessionChanges } from './changes.js'
import { createDrafts } from './drafts.js'
import { createEdits } from './edits.js'
import { createLiveness } from './liveness.js'
import { createLookup } from './lookup.js'
import { type SessionAttachments } from './making.js'
import { createMentions } from './mentions.js'
import { createNotices } from './notices.js'
import { createRecall } from './recall.js'
import { createRemoval, type SessionEvents } from './removal.js'
import { shownModel, type DefaultModel, type NewSession, type SessionRow } from './rows.js'
import { createSessionRows } from './session-rows.js'
import { cleanTitle, createSessionTitles, untitled } from './titles.js'
import { createTranscript } from './transcript.js'
import { createViews } from './session-views.js'
import { createSessionWorktrees, noRemoteWorktrees, type RemoteWorktrees } from './worktrees.js'

export interface SessionsOptions {
  db: Database
  events: EventBroker
  clock: Clock
  audit: AuditPort
  /** Returns the model for sessions that have not chosen one. */
  defaultModel: (profile: string) => DefaultModel
  /** Whether credentials are masked in what is shown. */
  isMasked?: () => boolean
  /** How many sessions of a profile may be pinned at most. */
  pinLimit?: () => number
  /** Files that were uploaded to sessions. */
  attachments?: SessionAttachments
  /** Worktrees on other machines. Default: none. */
  remoteWorktrees?: RemoteWorktrees
  log?: Log
}

const noAttachments: SessionAttachments = { has: async () => false, copy: async () => {}, remove: async () => {} }

/** Conversations: their rows, their transcripts, and the JSON text that answers carry. */
export function createSessions ({
  db, events, clock, audit, defaultModel, isMasked = () => true, pinLimit = () => 3, attachments = noAttachments,
  remoteWorktrees = noRemoteWorktrees, log = () => {}
}: SessionsOptions) {
  const rows = createSessionRows(db)
  const lookup = createLookup(rows)
  const { get, isAttached } = lookup
  const liveness = createLiveness(db)
  const transcript = createTranscript(db, rows)
  const { changed, opening, openingOfList, version } = createNotices({ db, events, rows, lookup, liveness, forget })
  const views = createViews({ db, lookup, liveness, transcript, version, defaultModel, isMasked })
  const listeners = new Listeners<SessionEvents>((event, error) =>
    log('a listener failed after a session changed', { event, reason: String(error) }))
  const changes = createSessionChanges({
    archived: (id) => listeners.emit('archived', id),
    db, clock, rows, get, changed, pinLimit, liveness,
    shownModel: (row) => shownModel(row, defaultModel(row.profile))
  })
  const edits = createEdits({
    db, clock, audit, rows, transcript, liveness, get, isAttached, insert, changed, attachments, retention: createRetention(db), log
  })

  function forget (id?: string): void {
    views.forget(id)
  }

  function insert (input: NewSession): SessionRow {
    const id = input.id ?? newSessionId()
    rows.insert(id, input, {
      ...(input.title === undefined
        ? { title: untitled, titleSource: 'untitled' as const }
        : { title: cleanTitle(input.title), titleSource: 'manual' as const }),
      nowS: epochSeconds(clock)
    })
    if (input.hidden !== true) changed('session_new', id)
    return get(id)
  }

  const create = (input: NewSession): Promise<SessionRow> => db.durably(() => insert(input))

  return {
    ...lookup,
    ...views.shown,
    ...createSessionTitles({ db, clock, rows, get, changed }),
    ...changes,
    ...createDrafts({ db, rows, get, forget: views.forgetDetail }),
    ...edits,
    ...createRemoval({ db, audit, rows, edits, get, changed, forget, listeners }),
    worktrees: createSessionWorktrees({
      db, clock, rows, remote: remoteWorktrees, sessions: {
        get, create, insert, changed, editable: edits.editable, movedOut: (from, to) => listeners.emitInWrite('movedOut', from, to)
      }
    }),
    /** Writes for areas that store something of a session together with rows of their own. */
    rows,
    transcript,
    /** The first frame on the stream of a session, and on that of the list. */
    opening,
    openingOfList,
    changed,
    version,
    /** Whether the agent of a conversation names exactly this path. */
    mentions: createMentions(db),
    /** Searches other conversations for the agent of one; see createRecall. */
    recall: createRecall(db),
    /** The number of listed conversations with at least one message. */
    count: rows.visible,

    create,
    /** Creates a session inside the caller's transaction. */
    insert,

    /** Returns the session if a person may delete it. Throws NotFound, and Invalid for a sub-agent's session. */
    removable (id: string): SessionRow {
      const row = get(id)
      if (row.source === 'subagent') throw new Invalid('A sub-agent\'s session is deleted with the session it belongs to')
      return row
    }
  }
}

export type Sessions = ReturnType<typeof createSessions>
