import { targetKey, type McpServerConfig } from './configuration.js'
import { type Connection, type McpPrompt } from './connection.js'
import { type ToolDefinition } from './definitions.js'
import { failureOf } from './failure.js'
import { keepListing, keepPrompts, keepWait, readListing, wasWaitedFor, type KeptListing } from './kept.js'
import { type ServerLog } from './log.js'

/** The tools of a list that the configuration lets through. */
export function usedOf ({ enabled, target, selection: { include, exclude } }: McpServerConfig, kept: KeptListing | null): ToolDefinition[] {
  if (kept === null || !enabled || target === null) return []
  return kept.listing.definitions.filter(({ tool }) => (include === null || include.includes(tool)) && !exclude.includes(tool))
}

export interface ServerListingOptions {
  config: McpServerConfig
  profileHome: string
  /** Its tools may be others than before. */
  changed: () => void
  log: ServerLog
}

/** What a server offers, as it said when it was asked last: kept in the profile's home, so that a turn need not start it to know. */
export class ServerListing {
  readonly #target: string
  #kept: KeptListing | null
  #isAwaited: boolean

  constructor (private readonly options: ServerListingOptions) {
    const { config, profileHome } = options
    this.#target = targetKey(config.target)
    this.#kept = config.target === null ? null : readListing(profileHome, config.name, this.#target)
    this.#isAwaited = this.#kept === null && !wasWaitedFor(profileHome, config.name, this.#target)
  }

  /** Null when it never told. */
  get kept (): KeptListing | null { return this.#kept }
  /** It has never told what it offers, and no turn has waited in vain for it: one may. */
  get isAwaited (): boolean { return this.#isAwaited && this.#kept === null }
  /** The tools that are used of it. */
  get definitions (): ToolDefinition[] { return usedOf(this.options.config, this.#kept) }
  get hasResources (): boolean { return this.#has('resources') }
  get hasTasks (): boolean { return this.#has('tasks') }
  get hasPrompts (): boolean { return this.#has('prompts') }

  #has (what: 'resources' | 'tasks' | 'prompts'): boolean {
    const { enabled, target, selection } = this.options.config
    return enabled && target !== null && (what === 'tasks' || selection[what]) && this.#kept?.listing[what] === true
  }

  /** A turn has waited for it as long as it can: no other does. */
  giveUpWaiting (): void {
    if (!this.isAwaited) return
    this.#isAwaited = false
    void keepWait(this.options.profileHome, this.options.config.name, this.#target)
  }

  /** Asks it for what it offers, and keeps that. Throws what the connection throws. */
  async list (connection: Connection): Promise<void> {
    const listing = await connection.listing()
    const { config, profileHome, changed, log } = this.options
    this.#kept = { target: this.#target, listedAtMs: Date.now(), listing }
    changed()
    await keepListing(profileHome, config.name, this.#target, listing, this.#kept.listedAtMs)
    // Nobody waits for them: they are for lists of commands, which read what is kept.
    if (this.hasPrompts) {
      this.listPrompts(connection).catch((error: unknown) =>
        log.remark(failureOf(error, { target: config.target, limitMs: config.connectTimeoutMs, refusal: null }).why))
    }
  }

  /** Throws what the connection throws. */
  async listPrompts (connection: Connection): Promise<McpPrompt[]> {
    const prompts = await connection.prompts()
    await keepPrompts(this.options.profileHome, this.options.config.name, this.#target, prompts)
    return prompts
  }
}
