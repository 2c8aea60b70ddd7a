import { inPortions, type Database } from '../database/index.js'
import { type Frame, type NewFrame } from './frames.js'

/** Thrown if the writer no longer owns the stream because a newer generation has taken over. */
export class StaleGeneration extends Error {
  constructor (streamId: string, generation: number) {
    super(`Generation ${generation} of stream ${streamId} is over`)
    this.name = 'StaleGeneration'
  }
}

/** The frames that a write has added to the journal. `ended`: no more follow. */
export interface StoredFrames { frames: Frame[], ended: boolean }

interface JournalHead { lastSeq: number, ended: boolean }

/** Stores the frames of chat streams on disk. Writes happen inside the caller's transaction. */
export interface Journal {
  /** Returns null if the stream is unknown or its frames were deleted by retention. */
  head (streamId: string): JournalHead | null
  /**
   * Numbers and stores the frames, and returns whether they are the stream's last. Throws StaleGeneration if the stream has another
   * generation.
   */
  append (streamId: string, generation: number, frames: NewFrame[], runSeq?: number | null): StoredFrames
  /**
   * Returns the frames after `afterSeq`: at least one if there is one, then as many as fit `maxBytes`. A frame that is too large to be read
   * is replaced by a `warning` that says so. No frame that is made today comes near that size.
   */
  read (streamId: string, afterSeq: number, maxBytes: number): Frame[]
  /** Does the same without masking, for continuing the turn. `frameBytes` is the size of the largest frame that is read. */
  heard (streamId: string, afterSeq: number, maxBytes: number, frameBytes: number): Frame[]
  /** Corrects the number of the last frame if it is behind the stored frames. Runs inside the caller's transaction. */
  recount (streamId: string): void
}

interface StoredFrame { seq: number, event: string, data: string | null, plain: string | null }

/** How many frames are read in one query. A reader takes a few dozen, or a few kilobytes. */
const framesAtOnce = 64

/** @param handingBack events of frames that hand back what a person typed: a reader that may type gets their `plain` */
export function createJournal ({ sqlite }: Pick<Database, 'sqlite'>, { handingBack = [] }: { handingBack?: readonly string[] } = {}): Journal {
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
  const recount = sqlite.prepare(
    'update streams set last_seq = max(last_seq, coalesce((select max(seq) from frames where stream_id = streams.id), 0)) where id = ?'
  )

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
    recount: (streamId) => { recount.run(streamId) }
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

/** A frame may hold a whole session. */
const largestFrameBytes = 256 * 1024 * 1024
const lastFrames = new Set(['stream_end', 'cancel', 'apperror', 'error', 'done'])

/**
 * Returns the replacement for a frame that is too large to be read. If the frame ends a stream, so does the replacement; clients then load
 * the session.
 */
function tooLarge (event: string): NewFrame {
  const message = 'A part of this stream is too large to be sent again; the conversation itself has it.'
  return lastFrames.has(event)
    ? { event, data: JSON.stringify({ message, error: message, session: null, usage: null }) }
    : { event: 'warning', data: JSON.stringify({ type: 'frame_too_large', message }) }
}
