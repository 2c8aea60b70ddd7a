import { join } from 'node:path'
import { type Clock } from '../../ground/time/clock.js'
import { createQueue } from '../../ground/concurrency/queue.js'
import { Conflict, Forbidden, Invalid, NotFound } from '../../ground/errors.js'
import { editConfigFile, tryConfigEdit, type ConfigEdit } from '../../ground/home/config-edit.js'
import { setEnvVariable } from '../../ground/home/env-file.js'
import { readHomeFile, replaceFile } from '../../ground/home/home-file.js'
import { homeFiles, readProfileSettings, type ProfileSettings } from '../../ground/home/settings.js'
import { Listeners, type Subscribable } from '../../ground/listeners.js'
import { type Log } from '../../ground/log.js'
import { firstLineOf } from './first-line.js'
import { ManyHomes, OneHome, isNamedHome, type Homes, type Profile } from './homes.js'
import { turnRules, type TurnRules } from './turn-rules.js'
import { HomeWatch } from './watch.js'

export interface ProfilesEvents {
  /** The content of its config.yaml or .env has changed: by this service or by hand, including when it has become broken or valid again. */
  changed (name: string, settings: ProfileSettings, before: ProfileSettings): void
  /** This service has changed its config.yaml: the contents before and after. */
  configured (name: string, before: unknown, after: unknown): void
  /** This service has set or removed a variable of its .env. */
  variable (name: string, variable: string, isSet: boolean): void
  /** Its home is about to go: what works in it stops. The removal waits for listeners. */
  removing (name: string): void | Promise<void>
  /** A profile of this name was added or removed. */
  listed (name: string): void
}

export interface ProfilesOptions {
  home: string
  env: Readonly<Record<string, string | undefined>>
  clock: Clock
  /**
   * The service is bound to the profile whose home it was given, and shows no other. Has an effect only for the home of a named profile.
   */
  isolated?: boolean
  /** Called with the contents of a profile's files when they are first read, and when they have changed. */
  learned?: (settings: ProfileSettings) => void
  log?: Log
}

export interface NewProfile {
  name: string
  /** The profile whose config.yaml, keys and SOUL.md are copied; null for none. */
  cloneFrom: string | null
  /** Writes further settings into its config.yaml. */
  configure?: (config: ConfigEdit) => void
  /** Variables for its `.env`. */
  env?: Readonly<Record<string, string>>
}

/** The profiles of this service: homes with a configuration, keys, memory and an agent process each. */
export class Profiles {
  readonly #options: Required<ProfilesOptions>
  readonly #homes: Homes
  /** Settings as they were last read, by the name of their profile. */
  readonly #known = new Map<string, ProfileSettings>()
  /** Settings that were read in this pass of the event loop, by the name of their profile. */
  readonly #inThisPass = new Map<string, ProfileSettings>()
  readonly #listeners: Listeners<ProfilesEvents>
  readonly #watch = new HomeWatch((home) => this.#looked(home), () => this.#lookedAround())
  /** Profiles that existed at the last check. */
  readonly #present = new Set<string>()
  /** Profiles are created and deleted one after the other; copies of the same file are also written in turn. */
  readonly #inTurn = createQueue()
  readonly #chosen: () => string | undefined
  /** Profiles that are being deleted. */
  readonly #leaving = new Set<string>()
  readonly #busyRules: Array<(name: string) => boolean> = []

  constructor (options: ProfilesOptions) {
    this.#options = { isolated: false, learned: () => {}, log: () => {}, ...options }
    this.#homes = this.#options.isolated && isNamedHome(options.home) ? new OneHome(options.home) : new ManyHomes(options.home)
    this.#chosen = firstLineOf(join(options.home, 'active_profile'))
    this.#listeners = new Listeners((event, error) =>
      this.#options.log('a listener failed after a profile changed', { event, reason: String(error) }))
  }

  readonly on: Subscribable<ProfilesEvents>['on'] = (name, listener) => this.#listeners.on(name, listener)

  /** Whether the service is bound to one profile and shows no other. */
  get isIsolated (): boolean {
    return this.#homes.only !== null
  }

  /** Returns the default profile first, then the named ones, sorted by name. */
  readonly list = (): Profile[] => this.#homes.list().filter(({ name }) => !this.#leaving.has(name))

  /** The folders with the profiles' files, including keys. */
  readonly homes = (): string[] => this.list().map((profile) => profile.home)

  /** Returns undefined also for a profile that is being deleted: nothing starts in it any more. */
  readonly get = (name: string): Profile | undefined => this.#leaving.has(name) ? undefined : this.#homes.get(name)

  /**
   * Returns the folder in which a profile's agent works. Throws NotFound: without its home nothing may continue, least of all with another
   * profile's keys.
   */
  readonly homeOf = (name: string): string => this.existing(name).home

  /** Throws NotFound. */
  existing (name: string): Profile {
    const profile = this.get(name)
    if (profile === undefined) throw new NotFound('Profile not found')
    return profile
  }

  /**
   * Returns the settings in the profile's files. The calls of one pass of the event loop share a look at the files, because a single turn
   * asks a dozen times, so a change by hand is seen a pass later. Throws NotFound.
   */
  readonly settings = (name: string): ProfileSettings => {
    const { home } = this.existing(name)
    const known = this.#inThisPass.get(name)
    return known?.home === home ? known : this.#read(name, home)
  }

  /** Called after one of the profile's files was written: reads the settings anew, and announces their change. Throws NotFound. */
  readonly reread = (name: string): void => { this.#read(name, this.existing(name).home) }

  /** Reads the settings anew, and announces changes. */
  #read (name: string, home: string): ProfileSettings {
    const settings = readProfileSettings(home, this.#options.env)
    if (this.#inThisPass.size === 0) setImmediate(() => this.#inThisPass.clear())
    this.#inThisPass.set(name, settings)
    const before = this.#known.get(name)
    if (before?.version !== settings.version) {
      this.#known.set(name, settings)
      this.#options.learned(settings)
      this.#keepGood(settings)
      this.#logProblems(name, settings)
      if (before !== undefined) this.#listeners.emit('changed', name, settings, before)
    }
    return settings
  }

  /**
   * Returns the server-wide profile: the one that `<home>/active_profile` names, if it exists. A change of the file takes effect in
   * the next pass of the event loop.
   */
  readonly active = (): string => {
    if (this.#homes.only !== null) return this.#homes.only.name
    const name = this.#chosen()
    return name !== undefined && this.get(name) !== undefined ? name : 'default'
  }

  /** Returns how the profile's turns run, according to the current file. Throws NotFound. */
  readonly rules = (name: string): TurnRules => turnRules(this.settings(name).config)

  /**
   * Adds pattern keys to `approvals.allow` of the profile's config.yaml. Resolves when they are on disk. Keeps comments and any other
   * changes made to the file meanwhile. Throws NotFound, and Conflict if the file is broken.
   */
  async allowPattern (name: string, keys: string[]): Promise<void> {
    await this.configure(name, (config) => config.addToList(['approvals', 'allow'], keys))
  }

  /**
   * Changes the profile's config.yaml. Resolves when the change is on disk. Throws NotFound, Conflict if the file is broken, and the errors
   * of `change`.
   */
  async configure (name: string, change: (config: ConfigEdit) => void): Promise<void> {
    let [before, after]: unknown[] = []
    const isWritten = await this.#edit(name, (home) => editConfigFile(homeFiles.config(home), (config) => {
      before = config.plain()
      change(config)
      after = config.plain()
    }))
    if (isWritten) this.#listeners.emit('configured', name, before, after)
  }

  /**
   * Changes the profile's `.env` and its config.yaml. Resolves when both are on disk. A change that config.yaml does not accept is refused
   * before either is written. Throws NotFound, Conflict if a file is broken, and the errors of `configure`, which is called more than once.
   */
  async change (
    name: string, { variables, configure }: { variables: Readonly<Record<string, string | null>>, configure?: (config: ConfigEdit) => void }
  ): Promise<void> {
    if (configure !== undefined) tryConfigEdit(homeFiles.config(this.existing(name).home), configure)
    for (const [variable, value] of Object.entries(variables)) await this.setVariable(name, variable, value)
    if (configure !== undefined) await this.configure(name, configure)
  }

  /** Sets a variable of the profile's `.env`, or removes it (null). Resolves when the change is on disk. Throws NotFound and Conflict. */
  async setVariable (name: string, variable: string, value: string | null): Promise<void> {
    const isWritten = await this.#edit(name, (home) => setEnvVariable(homeFiles.env(home), variable, value))
    if (isWritten) this.#listeners.emit('variable', name, variable, value !== null)
  }

  /**
   * Throws Invalid for an invalid name or one that is taken, NotFound for an unknown profile to clone, Forbidden if the service is
   * isolated.
   */
  async create ({ name, cloneFrom, configure, env = {} }: NewProfile): Promise<Profile> {
    const homes = this.#many()
    const from = cloneFrom === null ? null : this.existing(cloneFrom)
    const profile = await this.#inTurn('homes', async () => await homes.create(name, from, async (home) => {
      if (configure !== undefined) await editConfigFile(homeFiles.config(home), configure)
      for (const [variable, value] of Object.entries(env)) await setEnvVariable(homeFiles.env(home), variable, value)
    }))
    this.#read(name, profile.home)
    for (const variable of Object.keys(env)) this.#listeners.emit('variable', name, variable, true)
    this.#came(name)
    return profile
  }

  /** Adds a rule: while any of them returns true, a client can neither leave nor delete the profile. */
  busyWhen (isBusy: (name: string) => boolean): void {
    this.#busyRules.push(isBusy)
  }

  /**
   * Checks whether a client may switch from one profile to another. Throws NotFound for an unknown one, Conflict while the profile it
   * leaves is busy, Forbidden if the service is isolated.
   * @returns the profile that it switches to
   */
  switched (from: string, to: string): Profile {
    this.#many()
    const profile = this.existing(to)
    if (to !== from) this.#assertIdle(from)
    return profile
  }

  /**
   * Deletes a profile with all its contents. Nothing starts in it from the call on; if the deletion fails, everything is as before. Throws
   * NotFound, Invalid for the default profile, Conflict while it is busy, Forbidden if the service is isolated.
   */
  async remove (name: string): Promise<void> {
    const homes = this.#many()
    const profile = this.existing(name)
    if (profile.isDefault) throw new Invalid('The default profile cannot be deleted')
    this.#assertIdle(name)
    this.#leaving.add(name)
    try {
      await this.#inTurn('homes', async () => {
        await this.#listeners.gather('removing', name)
        await homes.remove(profile, this.#options.clock.now())
      })
    } finally {
      this.#leaving.delete(name)
    }
    this.#went(name)
  }

  /** Starts to notice changes made by hand, and cleans up what deleted profiles have left. */
  watch (): void {
    for (const { name } of this.list()) this.#present.add(name)
    this.#watchAll()
    if (this.#homes instanceof ManyHomes) {
      this.#homes.sweep(this.#options.clock.now()).catch((error: unknown) =>
        this.#options.log('homes of deleted profiles could not be removed', { reason: String(error) }))
    }
  }

  close (): void {
    this.#watch.close()
  }

  /** Returns whether anything was written. */
  async #edit (name: string, edit: (home: string) => Promise<boolean>): Promise<boolean> {
    let isWritten: boolean
    try {
      isWritten = await edit(this.existing(name).home)
    } catch (error) {
      // The profile may have been deleted meanwhile.
      this.existing(name)
      throw error
    }
    this.reread(name)
    return isWritten
  }

  #assertIdle (name: string): void {
    if (this.#busyRules.some((isBusy) => isBusy(name))) {
      throw new Conflict('A turn is running in this profile. Wait until it ends, or cancel it', 'profile_busy')
    }
  }

  #many (): ManyHomes {
    if (!(this.#homes instanceof ManyHomes)) throw new Forbidden('This service works in one profile only')
    return this.#homes
  }

  #watchAll (): void {
    this.#watch.watch(this.homes())
    if (this.#homes instanceof ManyHomes) this.#watch.watchAround(this.#homes.folder)
  }

  #came (name: string): void {
    this.#present.add(name)
    this.#watchAll()
    this.#listeners.emit('listed', name)
  }

  #went (name: string): void {
    this.#present.delete(name)
    this.#known.delete(name)
    this.#watchAll()
    this.#listeners.emit('listed', name)
  }

  /** Homes may have been created or deleted by hand. */
  #lookedAround (): void {
    if (!(this.#homes instanceof ManyHomes)) return
    this.#watchAll()
    for (const { name, home } of this.list().filter(({ name }) => !this.#present.has(name))) {
      this.#read(name, home)
      this.#came(name)
    }
    for (const name of this.#present) {
      if (this.#leaving.has(name) || !this.#homes.isGone(name)) continue
      this.#options.log('the home of a profile is gone', { profile: name })
      this.#listeners.emit('removing', name)
      this.#went(name)
    }
  }

  #looked (home: string): void {
    const profile = this.list().find((profile) => profile.home === home)
    if (profile !== undefined) this.#read(profile.name, home)
  }

  #logProblems (name: string, { configError, configProblems }: ProfileSettings): void {
    if (configError === undefined && configProblems.length === 0) return
    this.#options.log('config.yaml has problems', {
      profile: name, problems: configError === undefined ? configProblems.map(({ message }) => message) : [configError]
    })
  }

  /** Keeps a valid config.yaml for processes that start while it is broken. */
  #keepGood ({ home, configText, configError }: ProfileSettings): void {
    if (configText === undefined || configError !== undefined) return
    const path = homeFiles.lastGoodConfig(home)
    this.#inTurn(home, async () => {
      const kept = readHomeFile(path)
      if (kept !== undefined && 'text' in kept && kept.text === configText) return
      await replaceFile(path, configText, { mode: 0o600, home })
    }).catch((error: unknown) => this.#options.log('the last good config.yaml could not be saved', { reason: String(error) }))
  }
}

export function createProfiles (options: ProfilesOptions): Profiles {
  return new Profiles(options)
}
