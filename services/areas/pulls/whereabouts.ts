import { type Remote } from '../../workspace/git/index.js'
import { canonicalHost, placeOf } from './address.js'
import { type NewPull } from './forge.js'

/** Where the pull requests of a repository are, as far as its remotes say. */
export interface Whereabouts {
  host: string
  /** The repository that pull requests are opened in, and its remote. */
  repository: string
  baseRemote: string
  /** What is to be merged; null without a branch. */
  head: NewPull['head'] | null
}

/** The remote whose branch is followed; undefined: none is. */
export const followedOf = (remotes: readonly Remote[], upstream: string | null): Remote | undefined =>
  remotes.find(({ name }) => upstream?.startsWith(`${name}/`) === true)

/**
 * By the remote that the branch follows, else `origin` or the only one. A fork opens its pull requests in the repository that it is of,
 * whose remote is called `upstream` by convention. A reason where there is no remote, or none with an address of a server.
 */
export function whereaboutsOf (
  remotes: readonly Remote[], { branch, upstream }: { branch: string | null, upstream: string | null }
): Whereabouts | 'no_remote' | 'no_forge' {
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
