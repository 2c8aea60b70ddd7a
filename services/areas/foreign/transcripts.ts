import { TooLarge } from '../../ground/errors.js'
import { makers, type Stores } from './makers.js'
import { maxConversationBytes } from './store.js'
import { type ForeignRow } from './tally.js'
import { TranscriptBuilder, type ForeignTranscript } from './transcript.js'

const cached = { transcripts: 4, bytes: 32 * 1024 * 1024 }

interface Cached { key: string, bytes: number, transcript: ForeignTranscript }
interface TranscriptsOptions { stores: Stores, onRead?: (bytes: number) => void, pause: () => Promise<unknown> }

/** Transcripts, read from the files on demand; the last few are cached. */
export function createTranscripts ({ stores, onRead, pause }: TranscriptsOptions) {
  /** The most recently used one comes last. */
  let kept: Cached[] = []
  const making = new Map<string, Promise<ForeignTranscript>>()

  async function read ({ id, source, path }: ForeignRow): Promise<ForeignTranscript> {
    return await stores[source].open(path, async (conversation) => {
      const { sizeBytes, modifiedMs } = conversation
      if (sizeBytes > maxConversationBytes) throw new TooLarge('This conversation is too large to be shown (more than 64 MiB)')
      const key = `${path}\0${modifiedMs}\0${sizeBytes}\0${id}`
      const found = kept.find((one) => one.key === key)
      if (found !== undefined) {
        kept = [...kept.filter((one) => one !== found), found]
        return found.transcript
      }
      const reader = makers[source].reader()
      const builder = new TranscriptBuilder({ id, atS: modifiedMs / 1000 })
      await conversation.read({ from: null, onRead, pause }, (entry) => {
        for (const fact of reader.read(entry)) builder.take(fact)
      })
      const transcript = await builder.finish(pause)
      keep({ key, bytes: sizeOf(transcript), transcript })
      return transcript
    })
  }

  function keep (entry: Cached): void {
    if (entry.bytes > cached.bytes) return
    kept = [...kept.filter(({ key }) => key !== entry.key), entry].slice(-cached.transcripts)
    while (kept.reduce((total, { bytes }) => total + bytes, 0) > cached.bytes) kept.shift()
  }

  return {
    /** Throws TooLarge, and Unavailable if there is no file. */
    of (row: ForeignRow): Promise<ForeignTranscript> {
      const under = making.get(row.id)
      if (under !== undefined) return under
      const made = read(row).finally(() => making.delete(row.id))
      making.set(row.id, made)
      return made
    }
  }
}

/** Estimates the size in bytes: the replayed messages take about as much as the text of the messages. */
function sizeOf ({ messages, toolCalls }: ForeignTranscript): number {
  return 2 * messages.reduce((total, text) => total + text.length, 0) + toolCalls.reduce((total, text) => total + text.length, 0)
}
