import { Type, type Static } from '@sinclair/typebox'
import { isDeepStrictEqual } from 'node:util'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { type Log } from '../../ground/log.js'
import { isKeyOf } from '../../ground/one-of.js'
import { type Profiles } from '../profiles/index.js'

/** One key of config.yaml that a save sets, or removes (null). */
export interface LimitChange { path: Path, value: number | null }
type Path = [string, ...string[]]
const Path = Type.Unsafe<Path>(Type.Array(Type.String(), { minItems: 1 }))

/** Changes that have been written to config.yaml, while the rest of their save has not been stored yet. */
const InFlight = Type.Object({
  profile: Type.String(),
  changes: Type.Array(Type.Object({ path: Path, before: Type.Unknown(), after: Type.Union([Type.Number(), Type.Null()]) }))
})

/** The three steps of a save that also changes config.yaml, for the caller that makes the rest of it. */
export interface LimitSave {
  /** Writes config.yaml. Throws Conflict for a broken one, NotFound for a profile that is gone. */
  first (): Promise<void>
  /** Called inside the write of the rest: from now on the save is complete. */
  alongside (): void
  /** Called if the rest could not be stored: restores the previous values in config.yaml. */
  undo (): Promise<void>
}

export interface LimitSavesOptions {
  db: Database
  clock: Clock
  profiles: Pick<Profiles, 'configure' | 'settings'>
  log: Log
}

const key = 'limits_in_flight'

/**
 * Saves that change config.yaml and the database: both or neither, whenever the process ends. The previous values of config.yaml are noted
 * before it is written, and the note is removed together with the write of the rest; a note found at the start belongs to a save that was
 * never confirmed. One save at a time.
 */
export class LimitSaves {
  readonly #values

  constructor (private readonly options: LimitSavesOptions) {
    this.#values = createValues(options.db.sqlite)
  }

  save (profile: string, wanted: readonly LimitChange[]): LimitSave {
    const { db, clock } = this.options
    return {
      first: async () => {
        const changes = wanted.map(({ path, value }) => ({ path, before: this.#written(profile, path), after: value }))
        await db.durably(() => this.#values.set(key, { profile, changes } satisfies Static<typeof InFlight>, epochSeconds(clock)))
        await this.#write(profile, wanted)
      },
      alongside: () => this.#values.remove(key),
      undo: async () => await this.#undo()
    }
  }

  /** Reverts an interrupted save. Never rejects: what cannot be reverted now is tried again at the next start. */
  async recover (): Promise<void> {
    await this.#undo()
  }

  async #undo (): Promise<void> {
    const { db, log } = this.options
    const found = this.#values.read(key, InFlight)
    if (found === undefined) return
    const { profile, changes } = found
    try {
      // If another value was written by hand meanwhile, that one stays.
      const ours = changes.filter(({ path, after }) => isDeepStrictEqual(this.#written(profile, path), after))
      if (ours.length > 0) await this.#write(profile, ours.map(({ path, before }) => ({ path, value: before })))
      await db.durably(() => this.#values.remove(key))
    } catch (error) {
      log('limits of an incomplete save could not be reverted', { profile, reason: String(error) })
      if (error instanceof NotFound || error instanceof Conflict) db.soonest(() => this.#values.remove(key))
    }
  }

  /** Returns the value at a path of config.yaml; null if it is not set. */
  #written (profile: string, path: readonly string[]): unknown {
    let at: unknown = this.options.profiles.settings(profile).configAsWritten
    for (const name of path) {
      at = isKeyOf(fieldsOf(at), name) ? fieldsOf(at)[name] : null
    }
    return at ?? null
  }

  async #write (profile: string, changes: ReadonlyArray<{ path: Path, value: unknown }>): Promise<void> {
    await this.options.profiles.configure(profile, (config) => {
      for (const { path, value } of changes) {
        if (value === null) config.delete(path)
        else config.set(path, value)
      }
    })
  }
}
