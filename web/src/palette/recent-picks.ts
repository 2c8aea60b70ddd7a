import { personStore } from '../app.js'

const kept = 'palette-recent'
const most = 3

/** Returns the ids of the entries that were picked last in this browser, the latest first. */
export function recentPicks (): string[] {
  try {
    const ids: unknown = JSON.parse(personStore.getItem(kept) ?? '[]')
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').slice(0, most) : []
  } catch {
    return []
  }
}

export function keepPick (id: string): void {
  try {
    personStore.setItem(kept, JSON.stringify([id, ...recentPicks().filter((other) => other !== id)].slice(0, most)))
  } catch {}
}
