import { type Arena } from './arena.js'

/** One thing that is done to the service. Each has its own folder and cleans up nothing: the arena does. */
export interface Scenario {
  name: string
  /** One line for the list of scenarios. */
  says: string
  /** Part of the short form, which is part of `npm test`: quick, and passed by the present code. */
  short: boolean
  /** Returns why it cannot run here; undefined if it can. */
  missing? (): string | undefined
  run (arena: Arena): Promise<void>
}
