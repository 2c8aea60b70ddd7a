const kept = 'palette-recent'
const most = 3

/** Returns the ids of the entries that were picked last in this browser, the latest first. */
export function recentPicks (): string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(kept) ?? '[]')
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').slice(0, most) : []
  } catch {
    return []
  }
}

export function keepPick (id: string): void {
  try {
    localStorage.setItem(kept, JSON.stringify([id, ...recentPicks().filter((other) => other !== id)].slice(0, most)))
  } catch {}
}
