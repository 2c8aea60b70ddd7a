import { Invalid } from '../../ground/errors.js'
import { type Git } from '../../workspace/git/index.js'
import { type ForgeAddress } from './address.js'
import { type ForgeClient } from './client.js'
import { forgeNames, type Forge } from './forge.js'
import { createGitea } from './forges/gitea.js'
import { createGitHub } from './forges/github.js'
import { createGitLab } from './forges/gitlab.js'
import { type ForgeTokens } from './tokens.js'
import { followedOf, forgeRemoteOf, type ForgeRemote } from './forge-remote.js'

/** Why a session has no pull requests. */
export type NoPulls = 'no_repo' | 'no_remote' | 'no_forge' | 'no_token'

/** The branch that is checked out. */
export interface OwnBranch {
  name: string
  sha: string | null
  /** Whether the branch follows one on a remote. */
  isPushed: boolean
  ahead: number
  behind: number
}

/** The forge and the repository of a session's pull requests. */
export interface Place extends Omit<ForgeRemote, 'host'> { session: string, forge: Forge, address: ForgeAddress, branch: OwnBranch | null }
export interface Nowhere { reason: NoPulls, address: ForgeAddress | null, host: string | null, branch: OwnBranch | null }

export interface PlacesOptions {
  git: Pick<Git, 'status' | 'remotes' | 'refuseReadOnly'>
  client: ForgeClient
  tokens: Pick<ForgeTokens, 'addressOf' | 'tokenOf'>
  /** Returns the profile whose tokens a session uses. Throws NotFound. */
  profileOf: (sessionId: string) => string
}

const makers = { github: createGitHub, gitlab: createGitLab, gitea: createGitea }

/** Finds the forge and the repository of a session's pull requests, by the remotes of its folder. Throws the errors of git. */
export function createPlaces ({ git, client, tokens, profileOf }: PlacesOptions) {
  /** Returns the forge at an address, with the profile's token; null if it has none for it. */
  async function forgeOf (profile: string, address: ForgeAddress, repository: string): Promise<Forge | null> {
    const found = await tokens.tokenOf(profile, address)
    if (found === null) return null
    const seat = { name: forgeNames[address.kind], api: address.api, token: found.token, authorization: {} }
    return makers[address.kind](client, seat, repository)
  }

  async function find (sessionId: string): Promise<Place | Nowhere> {
    const profile = profileOf(sessionId)
    const standing = await git.status(sessionId)
    if (standing === null) return nowhere('no_repo')
    const { branch: name, head: sha, upstream, ahead, behind } = standing.status
    const remotes = await git.remotes(sessionId)
    const isPushed = followedOf(remotes, upstream) !== undefined
    const branch = name === null ? null : { name, sha, isPushed, ahead, behind }
    const where = forgeRemoteOf(remotes, { branch: name, upstream })
    if (typeof where === 'string') return nowhere(where, { branch })
    const { host, repository, baseRemote, head } = where
    const address = tokens.addressOf(profile, host)
    if (address === null) return nowhere('no_forge', { host, branch })
    const forge = await forgeOf(profile, address, repository)
    if (forge === null) return nowhere('no_token', { host, address, branch })
    return { session: sessionId, forge, address, repository, baseRemote, branch, head }
  }

  /** Throws Invalid (`no_forge`, `no_forge_token`) if there are no pull requests. */
  async function get (sessionId: string): Promise<Place> {
    const place = await find(sessionId)
    if (!('reason' in place)) return place
    throw place.reason === 'no_token'
      ? new Invalid(`The service has no token for ${place.host ?? 'the forge'}. Set one first`, 'no_forge_token')
      : new Invalid('The repository has no remote on a known forge', 'no_forge')
  }

  return {
    find,
    get,
    forgeOf,
    /** For actions that change something outside of the folder. Also throws Forbidden (`destructive_git_disabled`). */
    async getToChange (sessionId: string): Promise<Place> {
      git.refuseReadOnly(sessionId)
      return await get(sessionId)
    }
  }
}

export type Places = ReturnType<typeof createPlaces>

/** Returns the key of a pull request, or of a branch that may get one, across sessions. */
export const keyOf = ({ address, repository }: Pick<Place, 'address' | 'repository'>, of: string | number): string =>
  `${address.api} ${repository} ${of}`

export const noBranch = (): Invalid => new Invalid('No branch is checked out. Switch to one first', 'git_failed')

const nowhere = (reason: NoPulls, more: Partial<Nowhere> = {}): Nowhere => ({ reason, address: null, host: null, branch: null, ...more })
