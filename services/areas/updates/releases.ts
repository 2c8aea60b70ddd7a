/** A release, identified by its tag. */
export interface Release { version: string, sha: string }

const pattern = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/

/** Returns the newest of the tags that name a release, as `v1.2.3`; null if none does. Candidates (`v2.0.0-rc.1`) do not count. */
export function newestRelease (tags: readonly Release[]): Release | null {
  let newest: { release: Release, parts: number[] } | null = null
  for (const release of tags) {
    const parts = pattern.exec(release.version)?.slice(1).map(Number)
    if (parts !== undefined && (newest === null || isBefore(newest.parts, parts))) newest = { release, parts }
  }
  return newest?.release ?? null
}

interface VersionParts { numbers: readonly number[], candidate: readonly string[] }

/**
 * Returns how many of some versions are newer than `current` and not newer than `latest`, by semantic versioning; candidates (`2.0.0-rc.1`)
 * count only if `latest` is one.
 */
export function countBetween (versions: readonly string[], current: string, latest: string): number {
  const [from, to] = [parsed(current), parsed(latest)]
  if (from === null || to === null) return 0
  const isCounted = (version: VersionParts): boolean =>
    order(from, version) < 0 && order(version, to) <= 0 && (version.candidate.length === 0 || to.candidate.length > 0)
  return versions.flatMap((version) => parsed(version) ?? []).filter(isCounted).length
}

/** Returns the newer of two versions. */
export function newerOf (one: string, other: string): string {
  const [first, second] = [parsed(one), parsed(other)]
  return first === null || (second !== null && order(first, second) < 0) ? other : one
}

function parsed (version: string): VersionParts | null {
  const [, numbers, candidate = ''] = /^v?(\d{1,9}\.\d{1,9}\.\d{1,9})(?:-([0-9A-Za-z.-]{1,100}))?(?:\+[0-9A-Za-z.-]{1,100})?$/.exec(version) ?? []
  return numbers === undefined ? null : { numbers: numbers.split('.').map(Number), candidate: candidate === '' ? [] : candidate.split('.') }
}

/** Compares versions. Below 0: the first is older. */
function order (one: VersionParts, other: VersionParts): number {
  if (isBefore(one.numbers, other.numbers)) return -1
  if (isBefore(other.numbers, one.numbers)) return 1
  if (one.candidate.length === 0 || other.candidate.length === 0) return other.candidate.length - one.candidate.length
  for (const [at, part] of one.candidate.entries()) {
    const against = other.candidate[at]
    if (against === undefined) return 1
    if (part === against) continue
    const [isNumber, isOtherNumber] = [part, against].map((text) => /^\d+$/.test(text))
    if (isNumber === true && isOtherNumber === true) return Number(part) - Number(against)
    return isNumber === isOtherNumber ? (part < against ? -1 : 1) : isNumber === true ? -1 : 1
  }
  return one.candidate.length - other.candidate.length
}

function isBefore (one: readonly number[], other: readonly number[]): boolean {
  const index = one.findIndex((part, at) => part !== other[at])
  return index !== -1 && (one[index] ?? 0) < (other[index] ?? 0)
}
