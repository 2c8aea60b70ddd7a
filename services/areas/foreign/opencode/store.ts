import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf, Unavailable } from '../../../ground/errors.js'
import { fieldsOf } from '../../../ground/fields.js'
import { tried } from '../../../ground/tried.js'
import { asEntry, type Entry } from '../facts.js'
import { type FoundFile } from '../folders.js'
import {
  atWorkMs, maxConversationBytes, type Followed, type OpenedConversation, type ReadOptions, type ReadTo, type Store
} from '../store.js'
import { Tally } from '../tally.js'
import { createDatabaseReader, type DatabaseReader } from './process.js'
import { type About, type MessageRow } from './reading.js'

const portionBytes = 1024 * 1024

/**
 * The conversations in OpenCode's database; the path of each is that of the database followed by its id. An entry is the session, or a
 * message with its parts: `{session}`, `{message, parts}`.
 */
export function openCodeStore (root: string, limit: number): Store {
  const reader = createDatabaseReader()
  let last: { state: string, found: FoundFile[] | null } | null = null

  async function list (): Promise<FoundFile[] | null> {
    const folder = await realpath(root).catch(() => null)
    const file = folder === null ? null : await databaseIn(folder)
    if (file === null) return []
    // A database that could not be read stays unreadable until it is written to.
    const state = await stateOf(file)
    if (state === last?.state) return last.found
    const answer = await reader.ask({ list: file, limit }).catch(() => null)
    const found = answer === null || !('sessions' in answer)
      ? null
      : answer.sessions.map(({ id, messages: sizeBytes, updatedMs }) =>
        ({ path: join(file, id), name: id, inode: 0, sizeBytes, modifiedAt: updatedMs / 1000 }))
    last = { state, found }
    return found
  }

  return {
    found: list,

    async follow (make, { path, nowS, isStopped, pause, onRead }) {
      const about = await aboutOf(reader, path)
      if (about === null) return null
      const { messages: sizeBytes, updatedMs } = about
      const state = { inode: 0, sizeBytes, modifiedAt: updatedMs / 1000, readBytes: sizeBytes, seam: Buffer.alloc(0) }
      const entries = make()
      const tally = new Tally()
      await readFrom(reader, path, about, { from: null, mostBytes: maxConversationBytes, pause, onRead }, (entry) => {
        if (!isStopped()) for (const fact of entries.read(entry)) tally.take(fact, { atS: state.modifiedAt, nowS })
      })
      const followed: Followed = { ...state, reader: entries, tally, told: tally.told(state.modifiedAt) }
      return followed
    },

    async open (path, work) {
      const about = await aboutOf(reader, path)
      if (about === null) throw new Unavailable('OpenCode no longer has this conversation')
      const opened: OpenedConversation = {
        sizeBytes: about.bytes,
        modifiedMs: about.updatedMs,
        async fits (place) {
          if (place.seam === '') return true
          // Messages that were reverted there disappear with the next message.
          const from = messageOf(place.seam)
          const { known } = await portionOf(reader, path, { after: from, mostBytes: 0 })
          return known === place.readBytes && !isTakenBack(about, from)
        },
        read: async (options, take) => await readFrom(reader, path, about, options, take)
      }
      return await work(opened)
    },

    close: reader.close
  }
}

const messageOf = (seam: string): string => Buffer.from(seam, 'base64').toString('utf8')

function isTakenBack ({ session }: About, message: string): boolean {
  const from = tried(() => fieldsOf(JSON.parse(String(session?.['revert'])))['messageID'], null)
  return typeof from === 'string' && from <= message
}

async function aboutOf (reader: DatabaseReader, path: string): Promise<(About & { session: Entry }) | null> {
  const file = dirname(path)
  if (await databaseIn(dirname(file)) !== file) return null
  const answer = await reader.ask({ about: file, session: basename(path) })
  const session = 'session' in answer ? asEntry(answer.session) : null
  return session === null || !('bytes' in answer) ? null : { ...answer, session }
}

async function portionOf (reader: DatabaseReader, path: string, { after, mostBytes }: { after: string | null, mostBytes: number }) {
  const answer = await reader.ask({ read: dirname(path), session: basename(path), after, mostBytes })
  if (!('known' in answer)) throw new Unavailable('The database of OpenCode cannot be read')
  return answer
}

async function readFrom (
  reader: DatabaseReader, path: string, { session }: { session: Entry },
  { from, mostBytes = Infinity, settledOnly, onRead, pause }: ReadOptions, take: (entry: Entry) => void
): Promise<ReadTo> {
  let after = from === null || from.seam === '' ? null : messageOf(from.seam)
  let readBytes = from?.readBytes ?? 0
  let taken = 0
  const to = (isWhole: boolean, held: Entry | null = null): ReadTo =>
    ({ place: { readBytes, seam: after === null ? '' : Buffer.from(after).toString('base64') }, isWhole, held })
  if (from === null) take({ session })
  for (;;) {
    const { messages, isWhole } = await portionOf(reader, path, { after, mostBytes: portionBytes })
    for (const row of messages) {
      const entry = entryOf(row)
      if (settledOnly !== undefined && !isSettled(entry, row.updatedMs, settledOnly.nowMs)) return to(true, entry)
      take(entry)
      after = row.id
      readBytes++
      const bytes = (row.data?.length ?? 0) + row.parts.reduce((sum, part) => sum + part.length, 0)
      taken += bytes
      onRead?.(bytes)
    }
    if (isWhole || taken >= mostBytes) return to(isWhole)
    await pause()
  }
}

const parsed = (text: string | null): Entry | null => text === null ? null : tried(() => asEntry(JSON.parse(text)), null)

const entryOf = ({ id, data, parts }: MessageRow): Entry =>
  ({ message: { ...parsed(data), id }, parts: parts.flatMap((part) => parsed(part) ?? []) })

/** Whether no program is working on a message any more: it is complete, or has not changed for long. */
function isSettled ({ message, parts }: Entry, updatedMs: number, nowMs: number): boolean {
  if (nowMs - updatedMs >= atWorkMs) return true
  const { role, time, error } = fieldsOf(message)
  return role === 'user' ? Array.isArray(parts) && parts.length > 0 : fieldsOf(time)['completed'] !== undefined || error !== undefined
}

/** Returns the database in a folder, whose path must contain no symlink; null if there is none. */
async function databaseIn (folder: string): Promise<string | null> {
  const file = join(folder, 'opencode.db')
  try {
    return (await lstat(file)).isFile() && await realpath(file) === file ? file : null
  } catch (error) {
    if (/^(ENOENT|ENOTDIR|EACCES|EPERM|ELOOP|ENAMETOOLONG)$/.test(codeOf(error) ?? '')) return null
    throw error
  }
}

/** Returns a value that changes with each write to the file or the log next to it. */
async function stateOf (file: string): Promise<string> {
  const states = await Promise.all([file, `${file}-wal`].map(async (path) =>
    await lstat(path).then(({ ino, size, mtimeMs }) => [ino, size, mtimeMs], () => null)))
  return JSON.stringify(states)
}
