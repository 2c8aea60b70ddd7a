import { isAbsolute, join } from 'node:path'
import { fieldsOf } from '../../ground/fields.js'
import { acceptedPlugins } from '../../ground/home/accepted-plugins.js'
import { folderOf, SkillScan, type FoundSkill, type SkillRoot } from './scan.js'

export interface SkillPlaces {
  /** Home folder of the user on whose machine the service runs, for `~` and `~/.claude/skills`. */
  userHome: string
  /** The skills that come with the service. */
  shipped: string
  platform: NodeJS.Platform
}

/**
 * Up to `freshMs`, a result is returned without a new scan. Up to `staleMs`, it is still returned, and a new scan runs in the background.
 */
const freshMs = 500
const staleMs = 1_500
const mostExternal = 20
const platformNames: Partial<Record<NodeJS.Platform, string>> = { darwin: 'macos', linux: 'linux', win32: 'windows' }

/** The skills in the folders of a profile. Changes are noticed within two seconds. */
export class FoundSkills {
  readonly #scan = new SkillScan()
  readonly #seen = new Map<string, { roots: string, atMs: number, found: Promise<FoundSkill[]>, next?: Promise<FoundSkill[]> }>()

  constructor (readonly places: SkillPlaces) {}

  /** Forgets what was found in a home, so that the next call scans it again. */
  forget (home: string): void {
    this.#seen.delete(home)
  }

  /** Returns the skills for this system, in their order of precedence. */
  async in (home: string, config: Readonly<Record<string, unknown>>): Promise<FoundSkill[]> {
    const roots = this.#roots(home, config)
    const key = JSON.stringify(roots)
    const seen = this.#seen.get(home)
    const ageMs = seen?.roots === key ? performance.now() - seen.atMs : Infinity
    if (seen !== undefined && ageMs < freshMs) return await seen.found
    if (seen === undefined || ageMs === Infinity) return await this.#lookAnew(home, key, roots)
    if (seen.next === undefined) {
      const atMs = performance.now()
      const next = seen.next = this.#look(roots)
      // Unless a skill was saved meanwhile.
      next.finally(() => { if (this.#seen.get(home) === seen) this.#seen.set(home, { roots: key, atMs, found: next }) }).catch(() => {})
    }
    return await (ageMs < staleMs ? seen.found : seen.next)
  }

  async #lookAnew (home: string, key: string, roots: readonly SkillRoot[]): Promise<FoundSkill[]> {
    const found = this.#look(roots)
    this.#seen.set(home, { roots: key, atMs: performance.now(), found })
    return await found
  }

  async #look (roots: readonly SkillRoot[]): Promise<FoundSkill[]> {
    const here = platformNames[this.places.platform] ?? this.places.platform
    const found: FoundSkill[] = []
    const places = new Set<string>()
    for (const root of roots) {
      for (const skill of await this.#scan.look(root)) {
        const isFor = skill.platforms.length === 0 || skill.platforms.includes(here)
        // A folder that is named twice provides its skills once.
        if (isFor && !places.has(folderOf(skill))) found.push(skill)
        places.add(folderOf(skill))
      }
    }
    return found
  }

  #roots (home: string, config: Readonly<Record<string, unknown>>): SkillRoot[] {
    const { userHome, shipped } = this.places
    const external = fieldsOf(config['skills']).external_dirs
    const named = [external].flat().filter((folder): folder is string =>
      typeof folder === 'string' && folder.trim() !== '' && !folder.includes('\0')).slice(0, mostExternal)
    const expanded = named.map((folder) =>
      folder === '~' || folder.startsWith('~/') ? join(userHome, folder.slice(1)) : isAbsolute(folder) ? folder : join(home, folder))
    return [
      { origin: 'profile', folder: join(home, 'skills') },
      ...expanded.map((folder): SkillRoot => ({ origin: 'external', folder })),
      { origin: 'claude', folder: join(userHome, '.claude', 'skills') },
      { origin: 'shipped', folder: shipped },
      // Of several skills with one name, the first counts; plugins come last, so that they replace no other skill.
      ...acceptedPlugins(home).map(({ folder }): SkillRoot => ({ origin: 'plugin', folder: join(folder, 'skills') }))
    ]
  }
}
