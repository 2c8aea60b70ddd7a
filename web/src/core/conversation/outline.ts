import { type Api, type Wire } from '../service/api.js'
import { type Exchange } from '../turn/exchange.js'

export type OutlineEntry = Wire<'OutlineEntry'>

/** The reading position: in the exchange of this message, below these headings of it. */
export interface ReadingAt { index: number, headings: readonly string[] }

/** The operations of a transcript's view. */
export interface ReadingView {
  /** Null while nothing is shown. */
  where: () => ReadingAt | null
  /**
   * Shows an entry, loading as far back as needed; `arriving` is called when all of it is loaded. Resolves with whether it is shown. Throws
   * ApiError.
   */
  goTo: (entry: OutlineEntry, entries: readonly OutlineEntry[], arriving: () => void) => Promise<boolean>
}

/** Reads the outline of a session. Throws ApiError. */
export async function readOutline (api: Api, sessionId: string): Promise<Wire<'SessionOutline'>> {
  return await api.get('/api/session/outline', { session_id: sessionId })
}

/** Returns the entries that contain all typed words, in any case; all entries if no word is typed. */
export function soughtIn (entries: readonly OutlineEntry[], search: string): OutlineEntry[] {
  const sought = search.toLocaleLowerCase().split(/\s+/).filter((word) => word !== '')
  return entries.filter(({ text }) => sought.every((word) => text.toLocaleLowerCase().includes(word)))
}

/**
 * Returns the index of the entry at the reading position: the message of the exchange, or the last heading passed in it; -1 above the
 * first.
 */
export function currentEntry (entries: readonly OutlineEntry[], at: ReadingAt | null): number {
  if (at === null) return -1
  const begin = entries.findLastIndex(({ kind, index }) => kind === 'message' && index <= at.index)
  const next = entries.findIndex(({ kind, source }, place) => place > begin && kind === 'message' && source !== 'steer')
  const within = entries.slice(0, next === -1 ? entries.length : next)
  return Math.max(begin, ...headingsDrawn(within.slice(begin + 1), at.headings).map((place) => begin + 1 + place))
}

/** Returns the index of an entry among the drawn headings of an exchange; -1 for a message, and for a heading that is drawn differently. */
export function drawnHeading (drawn: readonly string[], entry: OutlineEntry, entries: readonly OutlineEntry[]): number {
  if (entry.kind !== 'heading') return -1
  const begin = entries.findLastIndex(({ kind, index, source }) => kind === 'message' && source !== 'steer' && index < entry.index)
  const same = entries.slice(begin + 1, entries.indexOf(entry)).filter(({ kind, text }) => kind === 'heading' && text === entry.text).length
  const places = drawn.flatMap((text, place) => isSame(entry.text, text) ? [place] : [])
  return places[same] ?? -1
}

/** Returns the index of the exchange that contains a message of the transcript; -1 if it is not loaded. */
export function exchangeWith (exchanges: readonly Exchange[], index: number): number {
  // A running exchange is placed by its message, or by the exchange before it.
  return exchanges.findLastIndex(({ turn }, place) =>
    (turn.firstIndex ?? turn.user?.index ?? exchanges[place - 1]?.turn.endIndex ?? 0) <= index)
}

/** Returns the places of entries whose headings were passed. */
function headingsDrawn (entries: readonly OutlineEntry[], passed: readonly string[]): number[] {
  const left = [...passed]
  return entries.flatMap(({ kind, text }, place) => {
    const at = kind === 'heading' ? left.findIndex((drawn) => isSame(text, drawn)) : -1
    if (at === -1) return []
    left.splice(at, 1)
    return [place]
  })
}

/** Whether a heading has the text of an entry, which is a single line without Markdown marks and may be cut. */
function isSame (told: string, drawn: string): boolean {
  const line = drawn.replaceAll(/\s+/g, ' ').trim()
  return told.endsWith('…') ? line.startsWith(told.slice(0, -1).trimEnd()) : line === told
}
