import { TooLarge, Unavailable } from '../../ground/errors.js'
import { readers } from './follow.js'
import { openRegular, parseLine, readLines } from './lines.js'
import { type ForeignRow } from './tally.js'
import { TranscriptBuilder, type ForeignTranscript } from './transcript.js'

const maxFileBytes = 64 * 1024 * 1024
const cached = { transcripts: 4, bytes: 32 * 1024 * 1024 }

interface Cached { key: string, bytes: number, transcript: ForeignTranscript }
interface TranscriptsOptions { onRead?: (bytes: number) => void, pause: () => Promise<unknown> }

/** Transcripts, made from the files when somebody asks; the last few are kept. */
export function createTranscripts ({ onRead, pause }: TranscriptsOptions) {
  /** The one that was asked for last comes last. */
  let kept: Cached[] = []
  const making = new Map<string, Promise<ForeignTranscript>>()

  async function read ({ id, source, path }: ForeignRow): Promise<ForeignTranscript> {
    const handle = await openRegular(path)
    if (handle === null) throw new Unavailable('The file of this conversation is missing or cannot be read')
    try {
      const { size, mtimeMs } = await handle.stat()
      if (size > maxFileBytes) throw new TooLarge('This conversation is too large to be shown (more than 64 MiB)')
      const key = `${path}\0${mtimeMs}\0${size}\0${id}`
      const found = kept.find((one) => one.key === key)
      if (found !== undefined) {
        kept = [...kept.filter((one) => one !== found), found]
        return found.transcript
      }
      const reader = readers[source]()
      const builder = new TranscriptBuilder({ id, atS: mtimeMs / 1000 })
      await readLines(handle, { from: 0, to: size, onRead, pause }, (line) => {
        const entry = parseLine(line)
        if (entry !== null) for (const fact of reader.read(entry)) builder.take(fact)
        return true
      })
      const transcript = await builder.finish(pause)
      keep({ key, bytes: sizeOf(transcript), transcript })
      return transcript
    } finally {
      await handle.close()
    }
  }

  function keep (entry: Cached): void {
    if (entry.bytes > cached.bytes) return
    kept = [...kept.filter(({ key }) => key !== entry.key), entry].slice(-cached.transcripts)
    while (kept.reduce((total, { bytes }) => total + bytes, 0) > cached.bytes) kept.shift()
  }

  return {
    /** Throws TooLarge, and Unavailable when there is no file. */
    of (row: ForeignRow): Promise<ForeignTranscript> {
      const under = making.get(row.id)
      if (under !== undefined) return under
      const made = read(row).finally(() => making.delete(row.id))
      making.set(row.id, made)
      return made
    }
  }
}

/** Roughly, in bytes: what is replayed is about the text of the messages once more. */
function sizeOf ({ messages, toolCalls }: ForeignTranscript): number {
  return 2 * messages.reduce((total, text) => total + text.length, 0) + toolCalls.reduce((total, text) => total + text.length, 0)
}
