import { join } from 'node:path'
import { type Clock } from '../../ground/clock.js'
import { createQueue } from '../../ground/concurrency/queue.js'
import { Conflict, Forbidden, Invalid, NotFound } from '../../ground/errors.js'
import { editConfigFile, tryConfigEdit, type ConfigEdit } from '../../ground/home/config-edit.js'
import { setEnvVariable } from '../../ground/home/env-file.js'
import { readHomeFile, replaceFile } from '../../ground/home/home-file.js'
import { homeFiles, readProfileSettings, type ProfileSettings } from '../../ground/home/settings.js'
import { Listeners, type Heard } from '../../ground/listeners.js'
import { firstLineOf } from './first-line.js'
import { ManyHomes, OneHome, isNamedHome, type Homes, type Profile } from './homes.js'
import { turnRules, type TurnRules } from './rules.js'
import { HomeWatch } from './watch.js'

export interface ProfilesEvents {
  /** What its config.yaml or .env says is different: written here or by hand, broken, or well again. */
  changed (name: string, settings: ProfileSettings): void
  /** This service has changed its config.yaml: what that held before, and holds now. */
  configured (name: string, before: unknown, after: unknown): void
  /** This service has set a variable of its .env, or removed it. */
  variable (name: string, variable: string, isSet: boolean): void
  /** Its home is about to go: who works in it stops. Waited for. */
  removing (name: string): void | Promise<void>
  /** One of this name has come, or has gone. */
  listed (name: string): void
}

export interface ProfilesOptions {
  home: string
  env: Readonly<Record<string, string | undefined>>
  clock: Clock
  /** The service stays in the profile that its home is, and shows no other. Holds only for the home of a named profile. */
  isolated?: boolean
  /** Called with what the files of a profile say, when they are read for the first time and when they have changed. */
  learned?: (settings: ProfileSettings) => void
  log?: (message: string, details: Record<string, unknown>) => void
}

export interface NewProfile {
  name: string
  /** Whose config.yaml, keys and SOUL.md it begins with; null = with nothing. */
  cloneFrom: string | null
  /** Writes more into its config.yaml. */
  configure?: (config: ConfigEdit) => void
  /** Variables for its `.env`. */
  env?: Readonly<Record<string, string>>
}

/** The profiles of this service: homes with a configuration, keys, memory and an agent process each. */
export class Profiles {
  readonly #options: Required<ProfilesOptions>
  readonly #homes: Homes
  readonly #versions = new Map<string, string>()
  readonly #listeners: Listeners<ProfilesEvents>
  readonly #watch = new HomeWatch((home) => this.#looked(home), () => this.#lookedAround())
  /** Those that have been there when somebody looked last. */
  readonly #present = new Set<string>()
  /** Profiles come and go one after the other; so do copies of the same file. */
  readonly #inTurn = createQueue()
  readonly #chosen: () => string | undefined
  /** Those that are being deleted. */
  readonly #leaving = new Set<string>()
  readonly #busyRules: Array<(name: string) => boolean> = []

  constructor (options: ProfilesOptions) {
    this.#options = { isolated: false, learned: () => {}, log: () => {}, ...options }
    this.#homes = this.#options.isolated && isNamedHome(options.home) ? new OneHome(options.home) : new ManyHomes(options.home)
    this.#chosen = firstLineOf(join(options.home, 'active_profile'))
    this.#listeners = new Listeners((event, error) =>
      this.#options.log('a listener failed after a profile changed', { event, reason: String(error) }))
  }

  readonly on: Heard<ProfilesEvents>['on'] = (name, listener) => this.#listeners.on(name, listener)

  /** The service shows one profile and stays in it. */
  get isIsolated (): boolean {
    return this.#homes.only !== null
  }

  /** The default profile first, then the named ones in the order of their names. */
  readonly list = (): Profile[] => this.#homes.list().filter(({ name }) => !this.#leaving.has(name))

  /** Where their files lie, keys among them. */
  readonly homes = (): string[] => this.list().map((profile) => profile.home)

  /** Undefined for one that is being deleted as well: nothing begins in it any more. */
  readonly get = (name: string): Profile | undefined => this.#leaving.has(name) ? undefined : this.#homes.get(name)

  /** Where a profile's agent works. Throws NotFound: without its home nobody goes on, least of all with another one's keys. */
  readonly homeOf = (name: string): string => this.existing(name).home

  /** Throws NotFound. */
  existing (name: string): Profile {
    const profile = this.get(name)
    if (profile === undefined) throw new NotFound('Profile not found')
    return profile
  }

  /** What the profile's files say. Throws NotFound. */
  readonly settings = (name: string): ProfileSettings => {
    const settings = readProfileSettings(this.existing(name).home, this.#options.env)
    const before = this.#versions.get(name)
    if (before !== settings.version) {
      this.#versions.set(name, settings.version)
      this.#options.learned(settings)
      this.#keepGood(settings)
      this.#logProblems(name, settings)
      if (before !== undefined) this.#listeners.emit('changed', name, settings)
    }
    return settings
  }

  /** The server-wide profile: what `<home>/active_profile` names, if it exists. A change of the file counts from the next call on. */
  readonly active = (): string => {
    if (this.#homes.only !== null) return this.#homes.only.name
    const name = this.#chosen()
    return name !== undefined && this.get(name) !== undefined ? name : 'default'
  }

  /** How the profile's turns run, as the file says now. Throws NotFound. */
  readonly rules = (name: string): TurnRules => turnRules(this.settings(name).config)

  /**
   * Adds pattern keys to `approvals.allow` of the profile's config.yaml and has them on disk when it resolves. Comments
   * and whatever else changed in the file meanwhile survive. Throws NotFound, and Conflict when the file is broken.
   */
  async allowPattern (name: string, keys: string[]): Promise<void> {
    await this.configure(name, (config) => config.addToList(['approvals', 'allow'], keys))
  }

  /**
   * Changes the profile's config.yaml and has it on disk when it resolves. Throws NotFound, Conflict when the
   * file is broken, and what `change` throws.
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
   * Changes the profile's `.env` and its config.yaml, and has both on disk when it resolves. A change that config.yaml does
   * not take is refused before either is written. Throws NotFound, Conflict when a file is broken, and what `configure`
   * throws, which is called more than once.
   */
  async change (
    name: string, { variables, configure }: { variables: Readonly<Record<string, string | null>>, configure?: (config: ConfigEdit) => void }
  ): Promise<void> {
    if (configure !== undefined) tryConfigEdit(homeFiles.config(this.existing(name).home), configure)
    for (const [variable, value] of Object.entries(variables)) await this.setVariable(name, variable, value)
    if (configure !== undefined) await this.configure(name, configure)
  }

  /**
   * Sets a variable of the profile's `.env`, or takes it away (null), and has it on disk when it resolves. Throws NotFound and Conflict.
   */
  async setVariable (name: string, variable: string, value: string | null): Promise<void> {
    const isWritten = await this.#edit(name, (home) => setEnvVariable(homeFiles.env(home), variable, value))
    if (isWritten) this.#listeners.emit('variable', name, variable, value !== null)
  }

  /** Throws Invalid for a name that is taken or none, NotFound for an unknown one to clone, Forbidden when the service is isolated. */
  async create ({ name, cloneFrom, configure, env = {} }: NewProfile): Promise<Profile> {
    const homes = this.#many()
    const from = cloneFrom === null ? null : this.existing(cloneFrom)
    const profile = await this.#inTurn('homes', async () => await homes.create(name, from, async (home) => {
      if (configure !== undefined) await editConfigFile(homeFiles.config(home), configure)
      for (const [variable, value] of Object.entries(env)) await setEnvVariable(homeFiles.env(home), variable, value)
    }))
    this.settings(name)
    for (const variable of Object.keys(env)) this.#listeners.emit('variable', name, variable, true)
    this.#came(name)
    return profile
  }

  /** As long as one of these says so, a profile is neither left nor deleted. */
  busyWhen (isBusy: (name: string) => boolean): void {
    this.#busyRules.push(isBusy)
  }

  /**
   * Whether a client may go from one profile to another. Throws NotFound for an unknown one, Conflict while the one it leaves
   * is busy, Forbidden when the service is isolated.
   *
   * @returns the one it goes to
   */
  switched (from: string, to: string): Profile {
    this.#many()
    const profile = this.existing(to)
    if (to !== from) this.#assertIdle(from)
    return profile
  }

  /**
   * Takes a profile and all that it holds away. Nothing begins in it from the call on; when it fails, all is as before. Throws
   * NotFound, Invalid for the default one, Conflict while it is busy, Forbidden when the service is isolated.
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

  /** Begins to notice what is changed by hand, and clears away what profiles have left. */
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

  /** Whether something was written. */
  async #edit (name: string, edit: (home: string) => Promise<boolean>): Promise<boolean> {
    let isWritten: boolean
    try {
      isWritten = await edit(this.existing(name).home)
    } catch (error) {
      // Somebody else may have deleted it meanwhile.
      this.existing(name)
      throw error
    }
    this.settings(name)
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
    this.#versions.delete(name)
    this.#watchAll()
    this.#listeners.emit('listed', name)
  }

  /** Homes may have been made and taken away by hand. */
  #lookedAround (): void {
    if (!(this.#homes instanceof ManyHomes)) return
    this.#watchAll()
    for (const { name } of this.list().filter(({ name }) => !this.#present.has(name))) {
      this.settings(name)
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
    if (profile !== undefined) this.settings(profile.name)
  }

  #logProblems (name: string, { configError, configProblems }: ProfileSettings): void {
    if (configError === undefined && configProblems.length === 0) return
    this.#options.log('config.yaml has problems', {
      profile: name, problems: configError === undefined ? configProblems.map(({ message }) => message) : [configError]
    })
  }

  /** A config.yaml that is well is kept for processes that start while it is broken. */
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
