import { basename } from 'node:path'
import { type Clock } from '../../ground/time/clock.js'
import { Conflict, Forbidden, NotFound } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { type ConfigEdit, type ConfigPath } from '../../ground/home/config-edit.js'
import { type Log } from '../../ground/log.js'
import { asSaved, refuseOwnSecrets } from '../../ground/redaction/index.js'
import { type Workers } from '../../ground/workers/index.js'
import { type Profiles } from '../profiles/index.js'
import { SkillImports } from './imports.js'
import { linkedFiles, readSkillFile, type LinkedFiles } from './linked-files.js'
import { categoryName, OwnSkills, refuseNested, skillName } from './own-skills.js'
import { FoundSkills, type SkillPlaces } from './found-skills.js'
import { folderOf, skillFile, type FoundSkill } from './scan.js'
import { skillFacts } from './skill-text.js'
import { SkillUsage, type SkillCounts, type UsageKind } from './usage.js'
import { zippedSkills } from './zipped-skills.js'
import { documentOf, invocation, listOf, promptOf } from './wording.js'

/** The skill that has precedence among those of its name. */
export interface Skill extends FoundSkill {
  isDisabled: boolean
  /** Skills of the same name that it hides. */
  shadows: FoundSkill[]
}

export interface SkillsOptions extends SkillPlaces {
  profiles: Pick<Profiles, 'existing' | 'list' | 'settings' | 'configure'>
  clock: Clock
  workers: Pick<Workers, 'run'>
  log: Log
}

const disabledPath = ['skills', 'disabled'] as const
const disabledHerePath = ['skills', 'platform_disabled', 'webui'] as const

/**
 * The skills of each profile: those in its own folder, in the folders that its config.yaml names, in the user's folder, those that come
 * with the service, and those of plugins.
 */
export class Skills {
  readonly usage: SkillUsage
  readonly imports: SkillImports
  readonly #own = new OwnSkills()
  readonly #found: FoundSkills

  constructor (readonly options: SkillsOptions) {
    this.usage = new SkillUsage(options)
    this.#found = new FoundSkills(options)
    this.imports = new SkillImports({ ...options, own: this.#own, found: this.#found })
  }

  /**
   * Returns the skills sorted by name, without those for other systems. Notices changes on disk within two seconds. Throws NotFound for an
   * unknown profile.
   */
  async list (profile: string): Promise<Skill[]> {
    const { home, config } = this.options.profiles.settings(profile)
    const off = disabledNames(config)
    const skills = new Map<string, Skill>()
    for (const found of await this.#found.in(home, config)) {
      const first = skills.get(found.name)
      if (first === undefined) skills.set(found.name, { ...found, isDisabled: off.has(found.name), shadows: [] })
      else first.shadows.push(found)
    }
    return [...skills.values()].sort((one, other) => one.name < other.name ? -1 : 1)
  }

  /** Returns the skills that can be used: all except those that are switched off. */
  async enabled (profile: string): Promise<Skill[]> {
    return (await this.list(profile)).filter(({ isDisabled }) => !isDisabled)
  }

  /** Finds a skill by its name, its name in a category, or the name of its folder. Throws NotFound. */
  async find (profile: string, name: string): Promise<Skill> {
    const found = bySome(await this.list(profile), name)
    if (found === undefined) throw new NotFound(`Skill not found: ${name.slice(0, 100)}`)
    return found
  }

  /** Whether `find` finds the skill. */
  async has (profile: string, name: string): Promise<boolean> {
    return bySome(await this.list(profile), name) !== undefined
  }

  /** Reads a skill with its document. Throws NotFound, also if the file is too large; Invalid if it is not text. */
  async read (profile: string, name: string): Promise<{ skill: Skill, content: string, linked: LinkedFiles }> {
    const skill = await this.find(profile, name)
    const folder = folderOf(skill)
    const [{ text }, linked] = await Promise.all([readSkillFile(folder, skillFile), linkedFiles(folder)])
    return { skill, content: text, linked }
  }

  /** Reads a file next to a SKILL.md. Throws NotFound, and Invalid for a path that leads out of the skill's folder. */
  async file (profile: string, name: string, path: string): Promise<{ content: string, path: string }> {
    const { text, path: shown } = await readSkillFile(folderOf(await this.find(profile, name)), path)
    return { content: text, path: shown }
  }

  /** Returns skills as a zip archive, see `zippedSkills`. Throws NotFound for a name that `find` does not find. */
  async zipped (profile: string, names: readonly string[]): Promise<Buffer> {
    const skills = new Map<string, Skill>()
    for (const name of names) {
      const skill = await this.find(profile, name)
      skills.set(skill.name, skill)
    }
    return await zippedSkills([...skills.values()], this.options.workers)
  }

  /**
   * Returns where a skill of this name is or would be saved, and its current text; null if it does not exist yet. An existing skill keeps
   * its folder. Throws Invalid for an impossible name or category, Conflict if it exists in another category.
   */
  async spot (profile: string, name: string, category: string | null): Promise<{ name: string, place: string, text: string | null }> {
    const plain = skillName(name)
    const wanted = category === null ? '' : categoryName(category)
    const { home, config } = this.options.profiles.settings(profile)
    const own = (await this.#found.in(home, config)).filter(({ origin }) => origin === 'profile')
    // In the order in which names are looked up for reading: the text that was read is the one that is replaced.
    const there = own.find((skill) => skill.name === plain || skill.name === name.trim()) ??
      own.find(({ place }) => place.split('/').at(-1) === plain)
    if (there !== undefined && wanted !== '' && there.category !== wanted) {
      throw new Conflict(
        `There is already a skill named ${plain} ${there.category === '' ? 'without a category' : `in the category ${there.category}`}`,
        'exists'
      )
    }
    const place = there?.place ?? (wanted === '' ? plain : `${wanted}/${plain}`)
    if (there === undefined) refuseNested(own, place)
    return { name: plain, place, text: there === undefined ? null : (await readSkillFile(folderOf(there), skillFile)).text }
  }

  /**
   * Creates a skill in the profile's folder, or replaces its text. Resolves when it is on disk. The skill takes precedence over others of
   * its name. Returns its current name. A text that departs from the specification is saved, and is listed with a warning:
   * people keep skills that other agents read, and older clients send whatever was typed. Throws Invalid, Conflict (see `spot`,
   * OwnSkills.write), TooLarge.
   * @param expected see OwnSkills.write
   */
  async save (
    profile: string,
    { name, content, category, expected = null }: { name: string, content: string, category: string | null, expected?: string | null }
  ): Promise<{ name: string, path: string }> {
    const { home } = this.options.profiles.existing(profile)
    this.#found.forget(home)
    const spot = await this.#spotToWrite(profile, name, category)
    const meant = asSaved('content', content, spot.text)
    refuseOwnSecrets('The skill', [meant], spot.text)
    await this.#own.write(home, spot.place, meant, expected)
    this.#found.forget(home)
    return { name: skillFacts(meant, basename(spot.place)).name, path: `${spot.place}/${skillFile}` }
  }

  /**
   * Removes a skill of the profile's folder with all its files. Throws NotFound, and Forbidden for a skill from elsewhere, which is
   * read-only.
   */
  async remove (profile: string, name: string): Promise<string> {
    const { home } = this.options.profiles.existing(profile)
    this.#found.forget(home)
    const skill = await this.find(profile, name)
    const own = [skill, ...skill.shadows].find(({ origin }) => origin === 'profile')
    if (own === undefined) {
      throw new Forbidden(`${skill.name} ${readOnlyReasons[skill.origin]}: it cannot be deleted here, only turned off`, 'read_only')
    }
    await this.#own.remove(home, own.place)
    this.#found.forget(home)
    return own.name
  }

  /** Switches a skill on or off in the profile's config.yaml. Throws NotFound, and Conflict if the file is broken. */
  async toggle (profile: string, name: string, isEnabled: boolean): Promise<string> {
    const skill = await this.find(profile, name)
    await this.options.profiles.configure(profile, (config) => switchIn(config, skill.name, isEnabled))
    return skill.name
  }

  /** Returns how many skills there are, and how many of them are on. */
  async count (profile: string): Promise<{ total: number, enabled: number }> {
    const skills = await this.list(profile)
    return { total: skills.length, enabled: skills.filter(({ isDisabled }) => !isDisabled).length }
  }

  /** Scans everything again, however recent the last scan is. */
  async reload (profile: string): Promise<Skill[]> {
    this.#found.forget(this.options.profiles.existing(profile).home)
    return await this.list(profile)
  }

  /** Returns what the agent is told about skills in every turn; null if there are none. */
  async prompt (profile: string): Promise<string | null> {
    return promptOf(await this.enabled(profile))
  }

  /** Lists all skills as text, for the agent. */
  async overview (profile: string): Promise<string> {
    return listOf(await this.enabled(profile))
  }

  /**
   * Builds the message that invokes skills: their documents, and the user's request. Names that do not exist or are switched off are
   * returned as `missing`.
   */
  async invoke (
    profile: string, names: readonly string[], request: string
  ): Promise<{ message: string, loaded: string[], missing: string[] }> {
    const documents: string[] = []
    const loaded: string[] = []
    const missing: string[] = []
    for (const name of names) {
      try {
        const { skill, content, linked } = await this.read(profile, name)
        if (skill.isDisabled) throw new NotFound('This skill is turned off')
        documents.push(documentOf(skill, content, linked))
        loaded.push(skill.name)
      } catch {
        missing.push(name)
      }
    }
    return { message: documents.length === 0 ? '' : invocation(documents, request), loaded, missing }
  }

  /** Counts a use of a skill. Does not wait for the disk. */
  note (profile: string, name: string, kind: UsageKind): void {
    this.usage.note(this.options.profiles.existing(profile).home, name, kind)
  }

  /** Returns how often each skill has been used. */
  counts (profile: string): Map<string, SkillCounts> {
    return this.usage.read(this.options.profiles.existing(profile).home)
  }

  async #spotToWrite (
    profile: string, name: string, category: string | null
  ): Promise<{ name: string, place: string, text: string | null }> {
    try {
      return await this.spot(profile, name, category)
    } catch (error) {
      // The existing file cannot be read, and will be replaced.
      if (!(error instanceof NotFound)) throw error
      const plain = skillName(name)
      return { name: plain, place: (await this.find(profile, plain)).place, text: null }
    }
  }
}

/** Finds a skill by its name, its name in a category, or the name of its folder. */
function bySome (skills: readonly Skill[], name: string): Skill | undefined {
  return skills.find((skill) => skill.name === name) ??
    skills.find((skill) => skill.place === name || `${skill.category}/${skill.name}` === name) ??
    skills.find(({ place }) => place.slice(place.lastIndexOf('/') + 1) === name)
}

const readOnlyReasons: Record<FoundSkill['origin'], string> = {
  profile: 'is the profile\'s own',
  external: 'lies in a folder that config.yaml names under skills.external_dirs',
  plugin: 'comes with a plugin',
  claude: 'lies in ~/.claude/skills',
  shipped: 'comes with the service'
}

function disabledNames (config: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const { disabled, platform_disabled: ofPlatforms } = fieldsOf(config['skills'])
  return new Set([disabled, fieldsOf(ofPlatforms).webui].flat().filter((name): name is string => typeof name === 'string'))
}

function switchIn (config: ConfigEdit, name: string, isEnabled: boolean): void {
  const lists: ConfigPath[] = [disabledPath, disabledHerePath]
  if (isEnabled) for (const path of lists) config.removeFromList(path, [name])
  else for (const path of lists) if (path === disabledPath || config.get(path) !== undefined) config.addToList(path, [name])
}
