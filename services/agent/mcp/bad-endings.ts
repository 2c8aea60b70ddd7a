import { oneLine } from '../tools/wording.js'
import { type McpServerConfig } from './configuration.js'
import { type ServerSurroundings } from './surroundings.js'

/** Says once that a server cannot be used, and not again until it was well. */
export class BadEndings {
  #isTold = false

  constructor (private readonly config: McpServerConfig, private readonly tell: ServerSurroundings['endedBadly']) {}

  add (error: unknown, { reason, attempts, isSilent }: { reason: string, attempts: number, isSilent: boolean }): void {
    if (this.#isTold) return
    this.#isTold = true
    const { name, target } = this.config
    // The name alone: a path or a query may hold a key.
    const host = target?.transport === 'http' && URL.canParse(target.url) ? new URL(target.url).hostname : null
    this.tell?.({ name, host, code: codeOf(error) ?? (isSilent ? 'timeout' : null), attempts, reason: oneLine(reason, 300) })
  }

  clear (): void { this.#isTold = false }
}

function codeOf (error: unknown): string | null {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const { code } = inner as { code?: unknown }
    if (typeof code === 'string' && /^\w{1,60}$/.test(code)) return code
  }
  return null
}
