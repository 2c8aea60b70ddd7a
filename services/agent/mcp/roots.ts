import { pathToFileURL } from 'node:url'
import { basename } from 'node:path'
import { type McpTarget } from './configuration.js'
import { type Use } from './elicitation.js'

/** The answer to `roots/list`, in the protocol's form. */
export interface RootsAnswer { roots: Array<{ uri: string, name: string }> }

/**
 * The folders that a server may be told of: the workspaces of the turns whose calls it works on, or those of the latest ones.
 */
export class ServerRoots {
  /** Whether it is told any: it sees these folders. At an address, or in the sandbox, it does not, and need not learn their paths. */
  readonly areTold: boolean
  #latest: string[] = []

  constructor (target: McpTarget | null) {
    this.areTold = target?.transport === 'stdio' && !target.sandbox
  }

  /** Called when its calls have changed. */
  follow (uses: Iterable<Use>): void {
    const workspaces = [...new Set([...uses].flatMap(({ workspace }) => workspace === null ? [] : [workspace]))]
    if (workspaces.length > 0) this.#latest = workspaces
  }

  /** Returns the folders; with a call, only that call's. */
  answer (use?: Use): RootsAnswer {
    const folders = use?.workspace == null ? this.#latest : [use.workspace]
    return { roots: folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })) }
  }
}
