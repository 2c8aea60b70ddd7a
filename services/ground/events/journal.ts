import { inPortions, type Database } from '../database/index.js'
import { type Frame, type NewFrame } from './frames.js'

/** The writer is not the owner of the stream any more: a newer generation has taken over. */
export class StaleGeneration extends Error {
  constructor (streamId: string, generation: number) {
    super(`Generation ${generation} of stream ${streamId} is over`)
    this.name = 'StaleGeneration'
  }
}

/** What a write has put into the journal; `ended`: nothing follows it. */
export interface StoredFrames { frames: Frame[], ended: boolean }

interface JournalHead { lastSeq: number, ended: boolean }

/** The frames of chat streams on disk. Writes happen inside the caller's transaction. */
export interface Journal {
  /** Null when the stream is unknown or its frames have been given up to retention. */
  head (streamId: string): JournalHead | null
  /**
   * Numbers the frames and stores them, and says whether they are the stream's last. Throws StaleGeneration
   * when `generation` is not the stream's own.
   */
  append (streamId: string, generation: number, frames: NewFrame[], runSeq?: number | null): StoredFrames
  /**
   * Frames after `afterSeq`, at least one if there is one, then as many as fit `maxBytes`. One that is too large to be read
   * is a `warning` in its place that says so: no frame that is made today comes near that.
   */
  read (streamId: string, afterSeq: number, maxBytes: number): Frame[]
  /** The same with what was heard, nothing masked, for whoever continues the turn; `frameBytes` is the largest that is read. */
  heard (streamId: string, afterSeq: number, maxBytes: number, frameBytes: number): Frame[]
  /** Sets the number of the last frame to what is there, should a stream have lost count. Inside the caller's transaction. */
  recount (streamId: string): void
  /** Gives up the oldest ended journals beyond `days` or beyond `bytes` in all. Returns how many streams it emptied. */
  prune (nowS: number, keep: { days: number, bytes: number }): number
}

interface StoredFrame { seq: number, event: string, data: string | null, plain: string | null }

/** Read in one go; a reader takes some dozen, or those of some kilobytes. */
const framesAtOnce = 64

/** `handingBack`: events of frames that hand back what a person typed. Whoever may type gets their `plain`. */
export function createJournal ({ sqlite, transaction }: Database, { handingBack = [] }: { handingBack?: readonly string[] } = {}): Journal {
  const typed = handingBack.length === 0
    ? 'null'
    : `case when event in (${handingBack.map((event) => `'${event}'`).join(', ')}) then plain end`
  const framesAfter = (data: string) => sqlite.prepare<[number, string, number], StoredFrame>(
    `select seq, event, case when octet_length(${data}) <= ? then ${data} end as data, ${typed} as plain from frames where stream_id = ? and seq > ? order by seq limit ${framesAtOnce}`)
  const head = sqlite.prepare<[string], { lastSeq: number, ended: number, pruned: number }>(
    "select last_seq as lastSeq, state = 'closed' as ended, journal_pruned as pruned from streams where id = ?")
  const advance = sqlite.prepare<[number, number, number | null, string, number], { lastSeq: number, ended: number }>(
    "update streams set last_seq = last_seq + ?, journal_bytes = journal_bytes + ?, run_seq = coalesce(?, run_seq) where id = ? and generation = ? returning last_seq as lastSeq, state = 'closed' as ended")
  const insert = sqlite.prepare('insert into frames (stream_id, seq, event, data, plain) values (?, ?, ?, ?, ?)')
  const after = framesAfter('data')
  const heardAfter = framesAfter('coalesce(plain, data)')
  const kept = sqlite.prepare<[], { id: string, endedAt: number, bytes: number }>(
    "select id, ended_at as endedAt, journal_bytes as bytes from streams where journal_pruned = 0 and state = 'closed' order by ended_at desc")
  const empty = sqlite.prepare('delete from frames where stream_id = ?')
  const recount = sqlite.prepare(
    'update streams set last_seq = max(last_seq, coalesce((select max(seq) from frames where stream_id = streams.id), 0)) where id = ?'
  )
  const mark = sqlite.prepare('update streams set journal_pruned = 1 where id = ?')

  return {
    head (streamId) {
      const row = head.get(streamId)
      if (row === undefined || row.pruned === 1) return null
      return { lastSeq: row.lastSeq, ended: row.ended === 1 }
    },
    append (streamId, generation, frames, runSeq = null) {
      let bytes = 0
      for (const { event, data, plain } of frames) bytes += event.length + data.length + (plain?.length ?? 0)
      const row = advance.get(frames.length, bytes, runSeq, streamId, generation)
      if (row === undefined) throw new StaleGeneration(streamId, generation)
      const first = row.lastSeq - frames.length + 1
      const numbered = frames.map(({ event, data, plain }, index) => {
        insert.run(streamId, first + index, event, data, plain ?? null)
        return { seq: first + index, event, data, ...(plain !== undefined && handingBack.includes(event) ? { plain } : {}) }
      })
      return { frames: numbered, ended: row.ended === 1 }
    },
    read: (streamId, afterSeq, maxBytes) =>
      taken(inPortions(framesAtOnce, (last) => after.all(largestFrameBytes, streamId, last?.seq ?? afterSeq)), maxBytes),
    heard: (streamId, afterSeq, maxBytes, frameBytes) =>
      taken(inPortions(framesAtOnce, (last) => heardAfter.all(frameBytes, streamId, last?.seq ?? afterSeq)), maxBytes),
    recount: (streamId) => { recount.run(streamId) },
    prune (nowS, keep) {
      const oldest = nowS - keep.days * 86_400
      let bytes = 0
      let emptied = 0
      for (const row of kept.all()) {
        bytes += row.bytes
        if (row.endedAt >= oldest && bytes <= keep.bytes) continue
        transaction(() => {
          empty.run(row.id)
          mark.run(row.id)
        })
        emptied++
      }
      return emptied
    }
  }
}

function taken (rows: Iterable<StoredFrame>, maxBytes: number): Frame[] {
  const frames: Frame[] = []
  let bytes = 0
  for (const { seq, event, data, plain } of rows) {
    frames.push(data === null ? { ...tooLarge(event), seq } : { seq, event, data, ...(plain === null ? {} : { plain }) })
    bytes += data?.length ?? 0
    if (bytes >= maxBytes) break
  }
  return frames
}

/** A frame may carry a whole session. */
const largestFrameBytes = 256 * 1024 * 1024
const lastFrames = new Set(['stream_end', 'cancel', 'apperror', 'error', 'done'])

/** What stands for a frame that is too large to be read. One that ends a stream still does; clients then load the session. */
function tooLarge (event: string): NewFrame {
  const message = 'A part of this stream is too large to be sent again; the conversation itself has it.'
  return lastFrames.has(event)
    ? { event, data: JSON.stringify({ message, error: message, session: null, usage: null }) }
    : { event: 'warning', data: JSON.stringify({ type: 'frame_too_large', message }) }
}
