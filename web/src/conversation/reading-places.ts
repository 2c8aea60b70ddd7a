import { type CacheSnapshot } from 'virtua'
import { forgetOldest } from '../core/device/forget-oldest.js'

/** A reading position in a chat: the scroll position, the measured sizes, and the first exchange of the list. */
export interface ReadingPlace { top: number, sizes: CacheSnapshot, firstKey: string, count: number }

const places = new Map<string, ReadingPlace>()
const mostPlaces = 50

/** Keeps the reading position of a chat; null for its end, where a chat opens anyway. */
export function keepPlace (sessionId: string, place: ReadingPlace | null): void {
  places.delete(sessionId)
  if (place === null) return
  places.set(sessionId, place)
  forgetOldest(places, mostPlaces)
}

/** Returns the kept position if the exchanges above it are still the same. */
export function placeIn (sessionId: string, firstKey: string | undefined, count: number): ReadingPlace | null {
  const place = places.get(sessionId)
  return place === undefined || place.firstKey !== firstKey || place.count > count ? null : place
}
