/** Matches `user@host:path`. A slash before the colon makes the word a path. */
const hostAndPath = /^(?:[^@/:\s]+@)?(\[[^\]]+\]|[^/:\s]+):(?!:)/
const address = /^([a-z][a-z\d+.-]*):\/\/([^/]*)/i

/** Stands for an unknown host. */
export const noHost = '\0'

/**
 * Returns the host of an address with a scheme; null for anything else, '' for an address without a host, and noHost for one such as
 * `https://a?@b/`, because programs do not agree on where its host begins.
 */
export function hostOfAddress (word: string): string | null {
  const [, , authority] = address.exec(word) ?? []
  if (authority === undefined) return null
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (/[?#\\]/.test(authority) && authority.includes('@')) return noHost
  return /^(\[[^\]]*\]|[^:?#\\]*)/.exec(host)?.[1] ?? ''
}

/** Returns the host that a word names, as an address or as `host:path`; null for a path on this machine. */
export function remoteHostOf (word: string): string | null {
  const host = hostOfAddress(word)
  if (host !== null) return /^file:/i.test(word) ? null : host
  return hostAndPath.exec(word)?.[1] ?? null
}
