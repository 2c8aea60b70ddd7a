import { targetKey, type McpServerConfig } from './configuration.js'
import { type Connection, type McpPrompt } from './connection.js'
import { type ToolDefinition } from './definitions.js'
import { failureOf } from './failure.js'
import { keepListing, keepPrompts, keepWait, readListing, wasWaitedFor, type KeptListing } from './kept-listings.js'
import { type ServerLog } from './log.js'

/** Returns the tools of a list that the configuration selects. */
export function usedOf ({ enabled, target, selection: { include, exclude } }: McpServerConfig, kept: KeptListing | null): ToolDefinition[] {
  if (kept === null || !enabled || target === null) return []
  return kept.listing.definitions.filter(({ tool }) => (include === null || include.includes(tool)) && !exclude.includes(tool))
}

export interface ServerListingOptions {
  config: McpServerConfig
  profileHome: string
  /** Called when its tools may have changed. */
  changed: () => void
  log: ServerLog
}

/** What a server offers, by its latest answer. It is stored in the profile's home, so that a turn need not start the server to know. */
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

  /** The latest list; null if there never was one. */
  get kept (): KeptListing | null { return this.#kept }
  /** Whether a turn may wait for it: it has never said what it offers, and no turn has waited for it in vain. */
  get isAwaited (): boolean { return this.#isAwaited && this.#kept === null }
  /** The tools that the configuration selects. */
  get definitions (): ToolDefinition[] { return usedOf(this.options.config, this.#kept) }
  get hasResources (): boolean { return this.#has('resources') }
  get hasTasks (): boolean { return this.#has('tasks') }
  get hasPrompts (): boolean { return this.#has('prompts') }

  #has (what: 'resources' | 'tasks' | 'prompts'): boolean {
    const { enabled, target, selection } = this.options.config
    return enabled && target !== null && (what === 'tasks' || selection[what]) && this.#kept?.listing[what] === true
  }

  /** Called when a turn has waited for it as long as possible: no other turn will. */
  giveUpWaiting (): void {
    if (!this.isAwaited) return
    this.#isAwaited = false
    void keepWait(this.options.profileHome, this.options.config.name, this.#target)
  }

  /** Asks it for what it offers, and stores that. Throws what the connection throws. */
  async list (connection: Connection): Promise<void> {
    const listing = await connection.listing()
    const { config, profileHome, changed, log } = this.options
    this.#kept = { target: this.#target, listedAtMs: Date.now(), listing }
    changed()
    await keepListing(profileHome, config.name, this.#target, listing, this.#kept.listedAtMs)
    // Nothing waits for the prompts: they are for lists of commands, which read the stored ones.
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
