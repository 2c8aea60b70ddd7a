import { type Static } from '@sinclair/typebox'
import { isAbsolute } from 'node:path'
import { type SessionDetail, type SessionOutline, type SessionStatus } from '../../../schemas/sessions.js'
import { createPace } from '../../ground/concurrency/pace.js'
import { NotFound } from '../../ground/errors.js'
import { jsonPieces } from '../../ground/text/json-pieces.js'
import {
  exportDocument, outlineOf, type DetailOptions, type Exported, type ForeignRows, type ListFlags, type SessionRow, type Sessions,
  type SessionWire
} from '../sessions/index.js'
import { type Workspace } from '../../workspace/index.js'
import { rowsWithPauses } from './adoption.js'
import { type AttachedRows } from './attached-rows.js'
import { type ForeignIndex } from './foreign-index.js'
import { type ForeignRow } from './tally.js'
import { detailOf, foreignToWire, statusOf } from './wire.js'

/** How many a list shows besides this service's own. */
const listedBeside = 20
const listedAlone = 2_000

export interface ForeignOptions {
  index: ForeignIndex
  sessions: Pick<Sessions, 'adopt' | 'isMasked'>
  workspace: Pick<Workspace, 'defaultFolder'>
  /** Returns the profile in whose lists they appear. */
  profile: () => string
  isShown: (source: ForeignRow['source']) => boolean
  /** The attached ones, which are sessions of this service. */
  taken: Pick<AttachedRows, 'ids' | 'has'>
}

export interface Adoption {
  /** How many of its messages are copied. Default: all. */
  keep?: number
  title?: string
  profile: string
  /** Throws for a folder in which whoever asks may open no conversation. */
  folder: (path: string) => Promise<string>
}

/** Conversations of other front ends in the form of this service's sessions: they can be read and branched, but not written to. */
export function createForeign ({ index, sessions, workspace, profile, isShown, taken }: ForeignOptions) {
  const { isMasked } = sessions
  const toWire = (row: ForeignRow): SessionWire => foreignToWire(row, profile(), { masked: isMasked() })

  function find (id: string): ForeignRow | undefined {
    const row = index.get(id)
    return row !== undefined && isShown(row.source) ? row : undefined
  }

  function existing (id: string): ForeignRow {
    const found = find(id)
    if (found === undefined) throw new NotFound('Session not found')
    return found
  }

  async function detail (id: string, { messages, window = {} }: DetailOptions): Promise<Static<typeof SessionDetail>> {
    const head = toWire(existing(id))
    return await detailOf(head, messages ? await index.transcript(id) : null, window, { masked: isMasked() })
  }

  return {
    has: (id: string): boolean => find(id) !== undefined,
    /** Finds a conversation that is shown. */
    find,

    rows ({ profile: wanted, allProfiles, source }: ListFlags): ForeignRows {
      const gone = new Set(taken.ids())
      const rows = source === 'webui' || (!allProfiles && wanted !== profile()) ? [] : index.list().filter((row) => isShown(row.source) && !gone.has(row.id))
      return { rows: rows.slice(0, source === 'cli' ? listedAlone : listedBeside).map(toWire), total: rows.length }
    },

    /** Returns the folder that it worked in. Throws NotFound. */
    workspaceOf: (id: string): string => toWire(existing(id)).workspace,

    extentOf: (id: string) => {
      const row = find(id)
      return row === undefined ? undefined : { messageCount: row.messageCount, updatedAt: row.lastMessageAt }
    },

    isAttached: taken.has,

    /** Returns its status: nothing runs in it here. Throws NotFound. */
    status: (id: string): Omit<Static<typeof SessionStatus>, 'silent'> => statusOf(toWire(existing(id))),

    /** Returns its outline, without the answers. Throws NotFound. */
    async outline (id: string): Promise<Static<typeof SessionOutline>> {
      existing(id)
      const { messages } = await index.transcript(id)
      const { items, isCut } = await outlineOf(messages.map((body, position) => ({ position, body })).reverse(), { masked: isMasked() })
      return { session_id: id, message_count: messages.length, entries: items, truncated: isCut }
    },

    /** Returns a document that can be imported as a session of this service, as JSON text in pieces. Throws NotFound. */
    async exported (id: string, signal?: AbortSignal): Promise<Buffer[]> {
      const { messages, toolCalls, replay } = await index.transcript(id)
      function * items (): Generator<Exported> {
        for (const text of messages) yield { list: 'messages', item: JSON.parse(text) }
        for (const text of toolCalls) yield { list: 'tool_calls', item: JSON.parse(text) }
        for (const item of replay) yield { list: 'context_messages', item }
      }
      return await exportDocument(toWire(existing(id)), items(), { masked: isMasked(), signal })
    },

    /** Returns the session object, with its messages if wanted. Throws NotFound. */
    detail,

    /** Returns the answer with this object, as JSON text in pieces. Throws NotFound. */
    async answer (id: string, options: DetailOptions): Promise<Buffer[]> {
      const pace = createPace()
      const pieces: Buffer[] = []
      for (const piece of jsonPieces({ session: await detail(id, options) })) {
        pieces.push(Buffer.from(piece))
        await pace()
      }
      return pieces
    },

    /** Makes a session of this service from its first messages. Throws NotFound. */
    async adopt (id: string, { profile, folder: open, ...wanted }: Adoption): Promise<SessionRow> {
      const row = existing(id)
      const rows = await rowsWithPauses(await index.transcript(id))
      // Its folder may be gone, or may not be open to sessions, or not to whoever asks.
      const folder = row.workspace === null || !isAbsolute(row.workspace)
        ? workspace.defaultFolder
        : await open(row.workspace).catch(() => workspace.defaultFolder)
      return await sessions.adopt(id, { title: row.title ?? 'Untitled', rows, workspace: folder, profile }, wanted)
    },

    refresh: () => index.refresh()
  }
}

export type Foreign = ReturnType<typeof createForeign>
