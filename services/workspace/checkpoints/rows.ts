import { randomBytes } from 'node:crypto'
import { maskedText, oneRow, type Database } from '../../ground/database/index.js'
import { redact } from '../../ground/redaction/index.js'

export interface Checkpoint {
  id: string
  workspace: string
  sessionId: string
  /** The turn that was about to write; null for a checkpoint that was taken before a restore. */
  streamId: string | null
  kind: 'turn' | 'restore'
  state: 'ready' | 'skipped'
  /** Why it was skipped, or what it does not contain; a sentence. */
  reason: string | null
  tree: string | null
  files: number | null
  createdAtS: number
}

export interface ListedCheckpoint extends Checkpoint {
  /** The beginning of the user's message in that turn, with credentials masked. */
  title: string
}

/** A running turn, and its workspace. */
export interface WorkingTurn { streamId: string, workspace: string }

const titleChars = 80
/** How much of a message is read: enough to recognise a credential that the end of the title would cut. */
const readChars = 2_000

const columns = 'checkpoints.id as id, workspace, checkpoints.session_id as sessionId, checkpoints.stream_id as streamId, checkpoints.kind as kind, checkpoints.state as state, reason, tree, file_count as files, checkpoints.created_at as createdAtS'

/** Statements for the table of checkpoints. */
export function createCheckpointRows ({ sqlite }: Database) {
  const insert = sqlite.prepare(
    'insert into checkpoints (id, workspace, session_id, stream_id, kind, state, reason, tree, file_count, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
  )
  const get = sqlite.prepare<[string], Checkpoint>(`select ${columns} from checkpoints where id = ?`)
  const ofStream = sqlite.prepare<[string], Checkpoint>(`select ${columns} from checkpoints where stream_id = ?`)
  const beginning = `substr(json_extract(${maskedText('body')}, '$.content'), 1, ${readChars}) as said`
  // Messages beyond the count were cut off, and are only waiting to be deleted.
  const message = 'messages on message_id = streams.user_message_id and position < (select message_count from sessions where sessions.id = messages.session_id)'
  const saidIn = sqlite.prepare<[string], string | null>(`select ${beginning} from streams join ${message} where streams.id = ?`).pluck()
  const list = sqlite.prepare<[string], Checkpoint & { said: string | null }>(
    `select ${columns}, ${beginning} from checkpoints
       left join streams on streams.id = checkpoints.stream_id left join ${message}
     where workspace = ? order by checkpoints.created_at desc, checkpoints.rowid desc`)
  const beyond = sqlite.prepare<[string, string, number], string>(
    'select id from checkpoints where workspace = ? and state = ? order by created_at desc, rowid desc limit -1 offset ?').pluck()
  const oldest = sqlite.prepare<[number], Pick<Checkpoint, 'id' | 'workspace'>>(
    "select id, workspace from checkpoints where state = 'ready' order by created_at, rowid limit ?"
  )
  const remove = sqlite.prepare('delete from checkpoints where id = ?')
  const removeAll = sqlite.prepare('delete from checkpoints where workspace = ?')
  const removeReady = sqlite.prepare("delete from checkpoints where workspace = ? and state = 'ready'")
  const counted = sqlite.prepare<[string], number>("select count(*) from checkpoints where workspace = ? and state = 'ready'").pluck()
  const ready = sqlite.prepare<[], number>("select count(*) from checkpoints where state = 'ready'").pluck()
  const told = sqlite.prepare<[string, string, string], number>(
    "select 1 from checkpoints where session_id = ? and state = 'skipped' and reason = ? and id <> ? limit 1"
  ).pluck()
  const working = sqlite.prepare<[], WorkingTurn>(
    "select streams.id as streamId, sessions.workspace as workspace from streams join sessions on sessions.id = session_id where streams.state in ('active', 'cancelling')")
  const workspaces = sqlite.prepare<[], string>('select distinct workspace from checkpoints').pluck()
  const known = sqlite.prepare<[string], number>('select 1 from sessions where workspace = ? limit 1').pluck()

  return {
    add (row: Omit<Checkpoint, 'id'>, id = randomBytes(8).toString('hex')): Checkpoint {
      insert.run(id, row.workspace, row.sessionId, row.streamId, row.kind, row.state, row.reason, row.tree, row.files, row.createdAtS)
      return { id, ...row }
    },
    get: (id: string): Checkpoint | undefined => get.get(id),
    ofStream: (streamId: string): Checkpoint | undefined => ofStream.get(streamId),
    /** Returns the checkpoints of a workspace, newest first. */
    list: (workspace: string): ListedCheckpoint[] => list.all(workspace).map(({ said, ...row }) => ({ ...row, title: titleOf(said) })),
    titleOf: (streamId: string): string => titleOf(saidIn.get(streamId) ?? null),
    /** Returns the ids of all but the newest `count`. */
    beyond: (workspace: string, state: Checkpoint['state'], count: number): string[] => beyond.all(workspace, state, count),
    /** Returns the oldest checkpoints of all workspaces. */
    oldest: (count: number) => oldest.all(count),
    remove: (ids: readonly string[]): void => { for (const id of ids) remove.run(id) },
    removeAll: (workspace: string): void => { removeAll.run(workspace) },
    removeReady: (workspace: string): void => { removeReady.run(workspace) },
    countReady: (workspace?: string): number => workspace === undefined ? oneRow(ready) : oneRow(counted, workspace),
    /** Whether the session has another checkpoint that was skipped for the same reason. */
    wasTold: ({ id, sessionId, reason }: Checkpoint): boolean => told.get(sessionId, reason ?? '', id) !== undefined,
    working: (): WorkingTurn[] => working.all(),
    workspaces: (): string[] => workspaces.all(),
    isOfSession: (workspace: string): boolean => known.get(workspace) !== undefined
  }
}

export type CheckpointRows = ReturnType<typeof createCheckpointRows>

function titleOf (said: string | null): string {
  return [...redact(said ?? '').replace(/\s+/g, ' ').trim()].slice(0, titleChars).join('')
}
