import { oneLine } from '../tools/wording.js'
import { type McpServerConfig } from './configuration.js'
import { type ServerSurroundings } from './surroundings.js'

/** Reports once that a server cannot be used, and not again until it has worked in between. */
export class BadEndings {
  #isTold = false

  constructor (private readonly config: McpServerConfig, private readonly tell: ServerSurroundings['endedBadly']) {}

  add ({ reason, code, attempts }: { reason: string, code: string | null, attempts: number }): void {
    if (this.#isTold) return
    this.#isTold = true
    const { name, target } = this.config
    // The name alone: a path or a query may hold a key.
    const host = target?.transport === 'http' && URL.canParse(target.url) ? new URL(target.url).hostname : null
    this.tell?.({ name, host, code, attempts, reason: oneLine(reason, 300) })
  }

  clear (): void { this.#isTold = false }
}
