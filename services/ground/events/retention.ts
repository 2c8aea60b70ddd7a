import { createPace } from '../concurrency/pace.js'
import { createValues, type Database } from '../database/index.js'

const framesAtOnce = 64
/** How long a portion may block the event loop, approximately. */
const portionMs = 4
const streamsAtOnce = 500
/** Keys of streams that still have frames to delete, for the case that the service stops meanwhile. */
const prefix = 'journal_emptying:'

interface EndedStream { row: number, id: string, endedAt: number, bytes: number }

/**
 * Deletes frames of ended streams: those that are not kept any longer, and those of sessions that are deleted. A long turn has tens of
 * thousands, so they go in small portions, the last frames first: nobody begins to read the stream any more, and whoever is reading it gets
 * no gap.
 */
export function createRetention ({ sqlite, transaction }: Database) {
  const values = createValues(sqlite)
  const pause = createPace(0)
  const older = sqlite.prepare<[number, number], EndedStream>(
    `select rowid as row, id, ended_at as endedAt, journal_bytes as bytes from streams
     where journal_pruned = 0 and state = 'closed' and (ended_at, rowid) < (?, ?)
     order by ended_at desc, rowid desc limit ${streamsAtOnce}`)
  const ended = sqlite.prepare<[string], string>("select id from streams where session_id = ? and state = 'closed'").pluck()
  const unfinished = sqlite.prepare<[], string>(
    `select substr(key, ${prefix.length + 1}) from settings where substr(key, 1, ${prefix.length}) = '${prefix}'`).pluck()
  const mark = sqlite.prepare('update streams set journal_pruned = 1 where id = ?')
  const drop = sqlite.prepare<{ id: string }>(
    `delete from frames where stream_id = @id
     and seq in (select seq from frames where stream_id = @id order by seq desc limit ${framesAtOnce})`)

  /** Deletes some of the frames. Returns whether any are left. */
  function portion (id: string, isFirst: boolean, nowS: number): boolean {
    const untilMs = performance.now() + portionMs
    return transaction(() => {
      if (isFirst) mark.run(id)
      let isLeft: boolean
      do isLeft = drop.run({ id }).changes === framesAtOnce
      while (isLeft && performance.now() < untilMs)
      if (isLeft && isFirst) values.set(prefix + id, true, nowS)
      if (!isLeft && !isFirst) values.remove(prefix + id)
      return isLeft
    })
  }

  async function empty (id: string, nowS: number, signal?: AbortSignal, isBegun = false): Promise<void> {
    for (let isFirst = !isBegun; portion(id, isFirst, nowS); isFirst = false) {
      await pause()
      signal?.throwIfAborted()
    }
  }

  return {
    /**
     * Deletes the frames of the oldest ended streams beyond `days`, or beyond `bytes` in total. Resolves to how many streams it emptied.
     * What an abort or a stop of the service leaves undone is done by the next call.
     */
    async prune (nowS: number, keep: { days: number, bytes: number }, signal?: AbortSignal): Promise<number> {
      for (const id of unfinished.all()) await empty(id, nowS, signal, true)
      const oldest = nowS - keep.days * 86_400
      let bytes = 0
      let emptied = 0
      for (let place: [number, number] | null = [Number.MAX_SAFE_INTEGER, 0]; place !== null;) {
        const streams = older.all(...place)
        for (const stream of streams) {
          bytes += stream.bytes
          if (stream.endedAt >= oldest && bytes <= keep.bytes) continue
          await empty(stream.id, nowS, signal)
          emptied++
          await pause()
          signal?.throwIfAborted()
        }
        const last = streams.at(-1)
        place = last === undefined ? null : [last.endedAt, last.row]
        await pause()
      }
      return emptied
    },

    /** Deletes the frames of a session that is being deleted. The few of a turn that has yet to end go with the session. */
    async emptySession (sessionId: string, nowS: number): Promise<void> {
      for (const id of ended.all(sessionId)) {
        await empty(id, nowS)
        await pause()
      }
    }
  }
}

export type Retention = ReturnType<typeof createRetention>
