import { type TextStore } from '../src/core/device/person-store.js'

/** What localStorage is to a page. */
export function testStore (): TextStore {
  const texts = new Map<string, string>()
  return {
    get length () { return texts.size },
    key: (place) => [...texts.keys()][place] ?? null,
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => { texts.set(key, text) },
    removeItem: (key) => { texts.delete(key) }
  }
}
