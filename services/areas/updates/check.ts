import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { DomainError } from '../../ground/errors.js'
import { fetchTarget, noRemote, openCheckout, type Channel, type Checkout, type Target } from './checkout.js'
import { type Installation } from './installation.js'
import { UpdateFailed } from './failure.js'
import { linksTo } from './links.js'
import { installLine, otherWay, type Published } from './published-form.js'
import { askRegistry } from './registry.js'
import { type NpmOptions } from './programs.js'

/** What is known of newer versions of the service. `command`: a line that installs one, if the service cannot do that itself. */
export type RepoInfo =
  | { name: 'webui', no_git: true, behind: null, message: string, command?: string, repo_url?: string | null }
  | ({ name: 'webui', behind: null, error: string, stale_check: true } & Standing)
  | ({ name: 'webui', behind: number } & Standing)

interface Standing {
  repo_url: string | null
  compare_url: string | null
  /** Only for a checkout. */
  current_sha?: string
  latest_sha?: string | null
  branch?: string | null
  dirty?: boolean
  current_version?: string
  latest_version?: string
  command?: string
}

/** `webui` is null if nothing was checked yet. */
export interface UpdateCheck { webui: RepoInfo | null, checkedAtS: number, channel: Channel }

/** Stores the last check across restarts. */
interface KeptCheck {
  read: () => UpdateCheck | null
  /** Null: forget the last check. */
  write: (checked: UpdateCheck | null) => void
}

export interface UpdateChecksOptions extends Pick<NpmOptions, 'environment' | 'signal' | 'log'> {
  installation: Installation
  packageName: string
  clock: Clock
  kept: KeptCheck
}

const freshForMs = 30 * 60_000

/** Checks whether a newer version exists, one check at a time, and stores the result. Only `look` uses the network. */
export function createUpdateChecks ({ environment, installation, packageName, clock, kept, signal, log }: UpdateChecksOptions) {
  const before = kept.read()
  // It may have been stored long ago, so the next check asks again.
  let last: UpdateCheck & { atMs: number } | null = before === null ? null : { ...before, atMs: -Infinity }
  let looking: { channel: Channel, result: Promise<UpdateCheck> } | null = null

  async function lookNow (channel: Channel): Promise<UpdateCheck> {
    const webui = await standing(channel)
    const seen: UpdateCheck = { webui, channel, checkedAtS: epochSeconds(clock) }
    last = { ...seen, atMs: performance.now() }
    kept.write(seen)
    return last
  }

  function forget (): void {
    last = null
    kept.write(null)
  }

  async function standing (channel: Channel): Promise<RepoInfo> {
    if ('published' in installation) return await standingOf(installation.published, channel)
    const checkout = await openCheckout(installation, packageName)
    if ('reason' in checkout) return { name: 'webui', no_git: true, behind: null, message: checkout.reason }
    const { remote } = checkout
    if (remote === null) return stale(checkout, noRemote)
    try {
      return described(checkout, await fetchTarget({ ...checkout, remote }, channel))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return stale(checkout, error.message)
    }
  }

  async function standingOf (published: Published, channel: Channel): Promise<RepoInfo> {
    const { root, name, version, repository } = published
    const { repoUrl } = linksTo(repository, null, null)
    if (installLine(published, version) === null) {
      return { name: 'webui', no_git: true, behind: null, repo_url: repoUrl, ...otherWay(published) }
    }
    try {
      const { latest, behind } = await askRegistry(name, version, channel, { environment, folder: root, signal, log })
      if (behind === 0) return { name: 'webui', behind, current_version: version, latest_version: version, repo_url: repoUrl, compare_url: null }
      return {
        name: 'webui', behind, current_version: version, latest_version: latest, repo_url: repoUrl,
        compare_url: linksTo(repository, `v${version}`, `v${latest}`).compareUrl, command: installLine(published, latest) ?? undefined
      }
    } catch (error) {
      if (!(error instanceof UpdateFailed)) throw error
      return {
        name: 'webui', behind: null, error: error.message, stale_check: true, current_version: version, repo_url: repoUrl, compare_url: null
      }
    }
  }

  return {
    /** Returns the last check, of whichever channel. Does not use the network. */
    last: (channel: Channel): UpdateCheck => last ?? { webui: null, checkedAtS: 0, channel },

    /**
     * Checks for a newer version. Asks the remote unless the last answer is recent, of the same channel and not an error; `force` always
     * asks. Callers during a check of the same channel share its answer.
     */
    async look (channel: Channel, { force }: { force: boolean }): Promise<UpdateCheck> {
      const present = looking
      if (present?.channel === channel) return await present.result
      if (present !== null) {
        await present.result.catch(() => {})
        return await this.look(channel, { force })
      }
      const isFresh = last?.channel === channel && performance.now() - last.atMs < freshForMs && last.webui !== null && !('error' in last.webui)
      if (last !== null && isFresh && !force) return last
      const result = lookNow(channel)
      looking = { channel, result }
      try {
        return await result
      } finally {
        looking = null
      }
    },

    /** Forgets the last check. */
    forget,

    /** Forgets the last check if another version made it before this one was started. */
    async compare (): Promise<void> {
      const seen = last?.webui
      if (seen === null || seen === undefined) return
      const now = await presentIn(installation, packageName)
      const then = 'current_sha' in seen ? seen.current_sha : 'current_version' in seen ? seen.current_version : undefined
      if (last?.webui === seen && then !== now) forget()
    }
  }
}

/** Returns the running version or commit; undefined if neither is known. */
async function presentIn (installation: Installation, packageName: string): Promise<string | undefined> {
  if ('published' in installation) {
    return installLine(installation.published, '') === null ? undefined : installation.published.version
  }
  const checkout = await openCheckout(installation, packageName)
  return 'reason' in checkout ? undefined : checkout.head
}

function stale ({ head, branch, dirty, remote }: Checkout, error: string): RepoInfo {
  const { repoUrl } = linksTo(remote?.url ?? null, null, null)
  return {
    name: 'webui', behind: null, error, stale_check: true, current_sha: head, latest_sha: null, branch, repo_url: repoUrl,
    compare_url: null, dirty
  }
}

function described ({ head, branch, dirty, remote }: Checkout, { sha, behind, release, current }: Target): RepoInfo {
  // A checkout that is ahead of the latest release has nothing to update to.
  const latest = behind === 0 ? head : sha
  const { repoUrl, compareUrl } = linksTo(remote?.url ?? null, head, latest)
  const versions = release === null
    ? {}
    : {
        ...(current === null ? {} : { current_version: current.version }),
        latest_version: behind === 0 && current !== null ? current.version : release.version
      }
  return {
    name: 'webui', behind, current_sha: head, latest_sha: latest, branch, repo_url: repoUrl, compare_url: compareUrl, dirty, ...versions
  }
}
