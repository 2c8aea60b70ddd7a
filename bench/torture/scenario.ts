import { type Arena } from './arena.js'

/** One thing that is done to the service. Each has a folder of its own and cleans up nothing: the arena does. */
export interface Scenario {
  name: string
  /** One line for the list. */
  says: string
  /** Part of the short form, which is part of `npm test`: quick, and kept by the code as it stands. */
  short: boolean
  /** Why it cannot run here; undefined when it can. */
  missing? (): string | undefined
  run (arena: Arena): Promise<void>
}
