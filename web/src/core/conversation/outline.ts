import { type Api, type Wire } from '../service/api.js'
import { type Exchange } from '../turn/exchange.js'

export type OutlineEntry = Wire<'OutlineEntry'>

/** Where somebody reads: in the exchange that begins with this message, below these of its headings. */
export interface ReadingAt { index: number, headings: readonly string[] }

/** What a view of a transcript lets others do with it. */
export interface ReadingView {
  /** Null while nothing is shown. */
  where: () => ReadingAt | null
  /**
   * Shows an entry, reading back as far as it takes; `arriving` is called when all of it is there. Resolves
   * with whether it is shown. Throws ApiError.
   */
  goTo: (entry: OutlineEntry, entries: readonly OutlineEntry[], arriving: () => void) => Promise<boolean>
}

/** Throws ApiError. */
export async function readOutline (api: Api, sessionId: string): Promise<Wire<'SessionOutline'>> {
  return await api.get('/api/session/outline', { session_id: sessionId })
}

/** The entries in whose text each of the words stands that are typed; all when none is. Case does not count. */
export function soughtIn (entries: readonly OutlineEntry[], search: string): OutlineEntry[] {
  const sought = search.toLocaleLowerCase().split(/\s+/).filter((word) => word !== '')
  return entries.filter(({ text }) => sought.every((word) => text.toLocaleLowerCase().includes(word)))
}

/** The entry that is read now: the message that the exchange began with, or the last heading in it that was passed. -1 above the first. */
export function currentEntry (entries: readonly OutlineEntry[], at: ReadingAt | null): number {
  if (at === null) return -1
  const begin = entries.findLastIndex(({ kind, index }) => kind === 'message' && index <= at.index)
  const next = entries.findIndex(({ kind, source }, place) => place > begin && kind === 'message' && source !== 'steer')
  const within = entries.slice(0, next === -1 ? entries.length : next)
  return Math.max(begin, ...headingsDrawn(within.slice(begin + 1), at.headings).map((place) => begin + 1 + place))
}

/** Which of the headings that are drawn in an exchange an entry is; -1 for a message, and for what is not drawn as it was told. */
export function drawnHeading (drawn: readonly string[], entry: OutlineEntry, entries: readonly OutlineEntry[]): number {
  if (entry.kind !== 'heading') return -1
  const begin = entries.findLastIndex(({ kind, index, source }) => kind === 'message' && source !== 'steer' && index < entry.index)
  const same = entries.slice(begin + 1, entries.indexOf(entry)).filter(({ kind, text }) => kind === 'heading' && text === entry.text).length
  const places = drawn.flatMap((text, place) => isSame(entry.text, text) ? [place] : [])
  return places[same] ?? -1
}

/** The exchange that a message of the whole transcript stands in; -1 where it is not loaded. */
export function exchangeWith (exchanges: readonly Exchange[], index: number): number {
  // One that runs knows its place by its message, or by the one before it.
  return exchanges.findLastIndex(({ turn }, place) =>
    (turn.firstIndex ?? turn.user?.index ?? exchanges[place - 1]?.turn.endIndex ?? 0) <= index)
}

/** The places of entries whose headings were passed. */
function headingsDrawn (entries: readonly OutlineEntry[], passed: readonly string[]): number[] {
  const left = [...passed]
  return entries.flatMap(({ kind, text }, place) => {
    const at = kind === 'heading' ? left.findIndex((drawn) => isSame(text, drawn)) : -1
    if (at === -1) return []
    left.splice(at, 1)
    return [place]
  })
}

/** An entry's text is one line that may be cut, without marks. */
function isSame (told: string, drawn: string): boolean {
  const line = drawn.replaceAll(/\s+/g, ' ').trim()
  return told.endsWith('…') ? line.startsWith(told.slice(0, -1).trimEnd()) : line === told
}
