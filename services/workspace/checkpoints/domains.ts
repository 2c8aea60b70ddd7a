import { join } from 'node:path'
import { type Workers } from '../../ground/workers/index.js'
import { DomainIndexes, type DomainTree } from './domain-indexes.js'
import { DomainRules } from './domain-rules.js'
import { type Domain } from './ignore-rules.js'
import { asName } from './names.js'
import { type Repository } from './repository.js'
import { walking } from './walking.js'

export interface DomainsOptions {
  repository: Repository
  workers: Workers
}

/** Takes the trees of a workspace and of each repository in it. */
export class Domains {
  readonly #options: DomainsOptions
  readonly #rules: DomainRules
  readonly #indexes: DomainIndexes

  constructor (options: DomainsOptions) {
    this.#options = options
    this.#rules = new DomainRules(options)
    this.#indexes = new DomainIndexes({ ...options, rules: this.#rules })
  }

  /** Returns the trees of a workspace, its own first. `closed`: places (absolute) to skip. Rejects with SnapshotFailed. */
  async take (workspace: string, closed: readonly string[], signal: AbortSignal): Promise<DomainTree[]> {
    const { repository: { plumbing }, workers } = this.#options
    const { limits } = plumbing
    const rules = await this.#rules.global(signal)
    const taken: DomainTree[] = []
    const waiting = [await this.#rules.outermost(workspace, { rules, closed, signal })]
    const room = { files: limits.files, newBytes: limits.newBytes }
    for (let domain = waiting.shift(); domain !== undefined; domain = waiting.shift()) {
      if (taken.length >= limits.repositories) throw plumbing.failed('too_many_repositories')
      const walk = { domain, rules, closed, signal }
      const {
        repositories, addedBytes, ...tree
      } = await walking(walk, { plumbing, workers }, async (signal) => await this.#indexes.update({ ...walk, signal }, room))
      room.files -= tree.count
      room.newBytes -= addedBytes
      waiting.push(...repositories.map((path) => inside(tree.domain, path)))
      taken.push(tree)
    }
    return taken
  }

  /** Returns which of a workspace's paths (Latin-1, relative to it) its current rules ignore. */
  async ignored (workspace: string, paths: readonly string[], closed: readonly string[], signal: AbortSignal): Promise<Set<string>> {
    if (paths.length === 0) return new Set()
    const rules = await this.#rules.global(signal)
    const domain = await this.#rules.outermost(workspace, { rules, closed, signal })
    const prefix = asName(domain.prefix)
    const found = await this.#rules.ask({ domain, rules, closed, signal }, paths.map((path) => prefix + path))
    return new Set(found.map((path) => path.slice(prefix.length)))
  }

  /** Removes the indexes of repositories that no longer exist, and returns their keys. */
  async forgetOthers (present: readonly Domain[]): Promise<string[]> {
    return await this.#indexes.forgetOthers(present)
  }

  /** Removes all indexes, for example because one cannot be read any more. */
  async forget (): Promise<void> {
    await this.#indexes.forget()
  }
}

/** Returns the domain of a repository at a path relative to the `top` of another one. */
function inside ({ top, prefix, at }: Domain, path: string): Domain {
  const below = path.slice(prefix.length)
  return { top: join(top, prefix, below), prefix: '', at: join(at, below) }
}
