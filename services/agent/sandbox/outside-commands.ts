import { ToolError, within } from '../tools/containment.js'

/** How long a confined command waits for one that runs outside the sandbox. */
const outsideLimitMs = 30_000

export const overlap = (one: string, other: string): boolean => within(one, other) || within(other, one)

/** Tracks commands outside the sandbox, because they would run what a confined one plants in their folder meanwhile. */
export class OutsideCommands {
  readonly #running = new Set<{ workspace: string, ended: Promise<void> }>()

  /** Records that a command runs, until the returned function is called. */
  begin (workspace: string): () => void {
    const { promise: ended, resolve: over } = Promise.withResolvers<void>()
    const command = { workspace, ended }
    this.#running.add(command)
    return () => {
      this.#running.delete(command)
      over()
    }
  }

  /** Resolves when no command runs in the folder, or in one above or below it. Rejects with ToolError if that takes too long. */
  async ended (workspace: string, signal: AbortSignal): Promise<void> {
    const running = [...this.#running].filter((command) => overlap(command.workspace, workspace)).map(({ ended }) => ended)
    if (running.length === 0) return
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<'late'>((resolve) => { timer = setTimeout(resolve, outsideLimitMs, 'late') })
    const aborted = new Promise<'late'>((resolve) => { signal.addEventListener('abort', () => resolve('late'), { once: true }) })
    const late = await Promise.race([Promise.all(running), limit, aborted])
    clearTimeout(timer)
    if (late === 'late') {
      throw new ToolError(
        'A command outside the sandbox is still running in this folder, and nothing is run in the sandbox beside it. Call again when it has ended.'
      )
    }
  }
}
