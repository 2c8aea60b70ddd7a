import { type Remote } from '../../workspace/git/index.js'
import { canonicalHost, placeOf } from './address.js'
import { type NewPull } from './forge.js'

/** The place of a repository's pull requests, according to its remotes. */
export interface ForgeRemote {
  host: string
  /** The repository in which pull requests are opened, and its remote. */
  repository: string
  baseRemote: string
  /** The branch to merge; null without a branch. */
  head: NewPull['head'] | null
}

/** Returns the remote whose branch is followed; undefined if none is. */
export const followedOf = (remotes: readonly Remote[], upstream: string | null): Remote | undefined =>
  remotes.find(({ name }) => upstream?.startsWith(`${name}/`) === true)

/**
 * Finds the place by the remote that the branch follows, else by `origin` or the only remote. A fork opens its pull requests in the
 * original repository, whose remote is called `upstream` by convention. Returns a reason if there is no remote, or none with the address of
 * a server.
 */
export function forgeRemoteOf (
  remotes: readonly Remote[], { branch, upstream }: { branch: string | null, upstream: string | null }
): ForgeRemote | 'no_remote' | 'no_forge' {
  const followed = followedOf(remotes, upstream)
  const own = followed ?? remotes.find(({ name }) => name === 'origin') ?? (remotes.length === 1 ? remotes[0] : undefined)
  if (own === undefined) return 'no_remote'
  const from = placeOf(own.url)
  if (from === null) return 'no_forge'
  const url = remotes.find(({ name }) => name === 'upstream')?.url
  const original = url === undefined ? null : placeOf(url)
  const isFork = original !== null && original.host === from.host
  const there = followed === undefined || upstream === null ? branch : upstream.slice(followed.name.length + 1)
  return {
    host: canonicalHost(from.host),
    repository: isFork ? original.repository : from.repository,
    baseRemote: isFork ? 'upstream' : own.name,
    head: branch === null || there === null ? null : { branch: there, repository: from.repository }
  }
}
