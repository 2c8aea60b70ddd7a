import { lstatSync, readdirSync, type BigIntStats } from 'node:fs'
import { basename, join } from 'node:path'
import { setImmediate as breather } from 'node:timers/promises'
import { realPath } from '../../ground/files/containment.js'
import { fileBeginning, Remembered } from '../../ground/files/file-beginning.js'
import { tried } from '../../ground/tried.js'
import { skillFacts, type SkillFacts } from './skill-text.js'

/** The origin of a skill, in the order of precedence for names. */
type Origin = 'profile' | 'external' | 'plugin' | 'claude' | 'shipped'

/** A folder with skills. */
export interface SkillRoot { origin: Origin, folder: string }

export interface FoundSkill extends SkillFacts {
  origin: Origin
  /** The root that contains it, absolute and free of symlinks; and its own folder relative to that. */
  root: string
  place: string
  /** The folders between the two; empty if there are none. */
  category: string
}

/** Returns the folder with the skill's files. */
export const folderOf = ({ root, place }: FoundSkill): string => join(root, place)

export const skillFile = 'SKILL.md'
/** `skills/<category>/<name>/`, and one more level for finer categories. */
const deepest = 3
/** Limits the cost of a folder that was named by mistake (a home, a disk). */
const mostFolders = 4_000
const mostSkills = 2_000
/** Enough for any front matter. */
const headBytes = 48 * 1024
/** How many disk accesses, of a few microseconds each, are made before other work gets its turn. */
const looksAtOnce = 200

/** Finds skills in folders, and reads only what has changed since the last scan. */
export class SkillScan {
  readonly #names = new Remembered<string[]>(20_000)
  readonly #facts = new Remembered<SkillFacts>(10_000)

  /** Returns the skills of a root, in breadth-first order of their folders. Follows neither hidden folders nor links. Never throws. */
  async look ({ origin, folder }: SkillRoot): Promise<FoundSkill[]> {
    const found: FoundSkill[] = []
    const root = rootOf(folder)
    if (root === undefined) return found
    let places = ['']
    let looks = 0
    for (let depth = 0; depth <= deepest && places.length > 0; depth++) {
      const below: string[] = []
      for (const place of places) {
        if (++looks > mostFolders || found.length >= mostSkills) return found
        if (looks % looksAtOnce === 0) await breather()
        const facts = depth === 0 ? undefined : this.#skillIn(join(root, place))
        if (facts !== undefined) found.push({ ...facts, origin, root, place, category: place.split('/').slice(0, -1).join('/') })
        else if (depth < deepest) below.push(...this.#foldersIn(join(root, place)).map((name) => place === '' ? name : `${place}/${name}`))
      }
      places = below
    }
    return found
  }

  #skillIn (folder: string): SkillFacts | undefined {
    const path = join(folder, skillFile)
    const stats = statusOf(path)
    if (stats?.isFile() !== true) return undefined
    return this.#facts.of(path, stats, () => skillFacts(fileBeginning(path, headBytes) ?? '', basename(folder)))
  }

  #foldersIn (folder: string): string[] {
    const stats = statusOf(folder)
    if (stats?.isDirectory() !== true) return []
    return this.#names.of(folder, stats, () => namesIn(folder))
  }
}

function rootOf (folder: string): string | undefined {
  try {
    const real = realPath(folder)
    return statusOf(real)?.isDirectory() === true ? real : undefined
  } catch {
    return undefined
  }
}

function namesIn (folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).slice(
      0, mostFolders
    ).map(({ name }) => name).sort()
  } catch {
    return []
  }
}

const statusOf = (path: string): BigIntStats | undefined => tried(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }), undefined)
