/** A release by its tag. */
export interface Release { version: string, sha: string }

const pattern = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/

/** The newest of the tags that name a release, as `v1.2.3`; null where none does. What is only a candidate (`v2.0.0-rc.1`) is none. */
export function newestRelease (tags: readonly Release[]): Release | null {
  let newest: { release: Release, parts: number[] } | null = null
  for (const release of tags) {
    const parts = pattern.exec(release.version)?.slice(1).map(Number)
    if (parts !== undefined && (newest === null || isBefore(newest.parts, parts))) newest = { release, parts }
  }
  return newest?.release ?? null
}

function isBefore (one: readonly number[], other: readonly number[]): boolean {
  const index = one.findIndex((part, at) => part !== other[at])
  return index !== -1 && (one[index] ?? 0) < (other[index] ?? 0)
}
