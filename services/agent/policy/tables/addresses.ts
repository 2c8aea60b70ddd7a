/** `user@host:path`; a path with a colon in it begins with a folder. */
const hostAndPath = /^(?:[^@/:\s]+@)?(\[[^\]]+\]|[^/:\s]+):(?!:)/
const address = /^([a-z][a-z\d+.-]*):\/\/([^/]*)/i

/** Stands for a host that cannot be told. */
export const noHost = '\0'

/**
 * The host of an address with a scheme; null for anything else, '' for one that has none. Programs do not agree on where a host begins in
 * one such as `https://a?@b/`.
 */
export function hostOfAddress (word: string): string | null {
  const [, , authority] = address.exec(word) ?? []
  if (authority === undefined) return null
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (/[?#\\]/.test(authority) && authority.includes('@')) return noHost
  return /^(\[[^\]]*\]|[^:?#\\]*)/.exec(host)?.[1] ?? ''
}

/** The host that a word names, as an address or as `host:path`; null for a path on this machine. */
export function hostOf (word: string): string | null {
  const host = hostOfAddress(word)
  if (host !== null) return /^file:/i.test(word) ? null : host
  return hostAndPath.exec(word)?.[1] ?? null
}
