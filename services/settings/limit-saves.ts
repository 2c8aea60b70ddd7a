import { isDeepStrictEqual } from 'node:util'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { createValues, type Database } from '../ground/database/index.js'
import { Conflict, NotFound } from '../ground/errors.js'
import { type Profiles } from '../profiles/index.js'

/** A change of `max_tokens` that is written, and the rest of whose save is not yet; null: no such key. */
interface InFlight { profile: string, before: unknown, after: number | null }

/** The three steps of a save that changes `max_tokens` as well, for who makes the rest of it. */
export interface LimitSave {
  /** Writes config.yaml. Throws Conflict for a broken one, NotFound for a profile that is gone. */
  first (): Promise<void>
  /** Inside the write of the rest: from now on the save holds as a whole. */
  alongside (): void
  /** The rest could not be stored: config.yaml says again what it did before. */
  undo (): Promise<void>
}

export interface LimitSavesOptions {
  db: Database
  clock: Clock
  profiles: Pick<Profiles, 'configure' | 'settings'>
  log: (message: string, details: Record<string, unknown>) => void
}

const key = 'max_tokens_in_flight'

/**
 * Saves that change config.yaml and the database: both or neither, whenever the process ends. What config.yaml held is noted before
 * it is written, and the note goes with the rest; a note that is there at the start is of a save that nobody was told of. One
 * save at a time.
 */
export class LimitSaves {
  readonly #values

  constructor (private readonly options: LimitSavesOptions) {
    this.#values = createValues(options.db.sqlite)
  }

  save (profile: string, after: number | null): LimitSave {
    const { db, clock, profiles } = this.options
    return {
      first: async () => {
        const { configAsWritten } = profiles.settings(profile)
        const before = Object.hasOwn(configAsWritten, 'max_tokens') ? configAsWritten['max_tokens'] : null
        await db.durably(() => this.#values.set(key, { profile, before, after } satisfies InFlight, epochSeconds(clock)))
        await this.#write(profile, after)
      },
      alongside: () => this.#values.remove(key),
      undo: async () => await this.#undo()
    }
  }

  /** Takes back what a save has left that was cut off. Never rejects: what cannot be taken back now is tried at the next start. */
  async recover (): Promise<void> {
    await this.#undo()
  }

  async #undo (): Promise<void> {
    const { db, profiles, log } = this.options
    const found = this.#values.get(key) as InFlight | undefined
    if (found === undefined) return
    try {
      // Somebody may have written another value by hand meanwhile: that one stays.
      const holds = profiles.settings(found.profile).configAsWritten['max_tokens'] ?? null
      if (isDeepStrictEqual(holds, found.after)) await this.#write(found.profile, found.before)
      await db.durably(() => this.#values.remove(key))
    } catch (error) {
      log('max_tokens of a save that was not completed could not be taken back', { profile: found.profile, reason: String(error) })
      if (error instanceof NotFound || error instanceof Conflict) db.soonest(() => this.#values.remove(key))
    }
  }

  async #write (profile: string, value: unknown): Promise<void> {
    await this.options.profiles.configure(profile, (config) => value === null ? config.delete(['max_tokens']) : config.set(['max_tokens'], value))
  }
}
