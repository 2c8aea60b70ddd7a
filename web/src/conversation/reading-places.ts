import { type CacheSnapshot } from 'virtua'
import { forgetOldest } from '../core/device/forget-oldest.js'

/** Where somebody was reading in a chat: how far down, what was measured for that, and the exchange the list began with. */
export interface ReadingPlace { top: number, sizes: CacheSnapshot, firstKey: string, count: number }

const places = new Map<string, ReadingPlace>()
const mostPlaces = 50

/** Keeps the place in a chat that is left; null where it was the end, which is where a chat opens anyway. */
export function keepPlace (sessionId: string, place: ReadingPlace | null): void {
  places.delete(sessionId)
  if (place === null) return
  places.set(sessionId, place)
  forgetOldest(places, mostPlaces)
}

/** The place that was kept, as long as the same things stand above it. */
export function placeIn (sessionId: string, firstKey: string | undefined, count: number): ReadingPlace | null {
  const place = places.get(sessionId)
  return place === undefined || place.firstKey !== firstKey || place.count > count ? null : place
}
