import { lstatSync, readdirSync, statSync } from 'node:fs'
import { mkdir, rename, rm, unlink } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { codeOf, Invalid } from '../../ground/errors.js'
import { readHomeFile, replaceFile } from '../../ground/home/home-file.js'
import { tried } from '../../ground/tried.js'
import { removeSecrets } from './deleted-home.js'

export interface Profile { name: string, home: string, isDefault: boolean }

const profileName = /^[a-z0-9][a-z0-9_-]{0,63}$/
/** The files that a new profile copies from another one. Memory, skills and conversations belong to each profile alone. */
const clonedFiles = ['config.yaml', '.env', 'SOUL.md']
/** Holds homes of deleted profiles until they are swept; no profile can have this name. */
const deletedFolder = '.deleted'
const deletedKeptMs = 30 * 24 * 3_600_000

/** The folders of profiles: `default` is the root home, every other one a folder of `<home>/profiles/`. */
export interface Homes {
  /** Returns the default profile first, then the named ones, sorted by name. */
  list (): Profile[]
  get (name: string): Profile | undefined
  /** The one profile that this service was started in and is bound to; null if it may have several. */
  readonly only: Profile | null
}

export class ManyHomes implements Homes {
  readonly only = null
  readonly #root: Profile
  readonly #folder: string

  /** The folder with the homes of named profiles. */
  get folder (): string {
    return this.#folder
  }

  /** Whether the home certainly does not exist: a disk that does not respond is no reason to end what runs in it. */
  isGone (name: string): boolean {
    if (name === this.#root.name) return false
    return tried(() => !isFolder(join(this.#folder, name)), false)
  }

  constructor (home: string) {
    this.#root = { name: 'default', home, isDefault: true }
    this.#folder = join(home, 'profiles')
  }

  list (): Profile[] {
    const named = namesIn(this.#folder).flatMap((name) => {
      try {
        return this.get(name) ?? []
      } catch {
        return [] // one whose disk does not answer must not hide the others
      }
    })
    return [this.#root, ...named.filter(({ isDefault }) => !isDefault)]
  }

  get (name: string): Profile | undefined {
    if (name === this.#root.name) return this.#root
    if (!profileName.test(name)) return undefined
    const home = join(this.#folder, name)
    return isFolder(home) ? { name, home, isDefault: false } : undefined
  }

  /**
   * Creates the home of a new profile, with the files of `from` if it is given; `complete` is called before the home becomes visible.
   * Throws Invalid for an invalid name, or one that is taken.
   */
  async create (name: string, from: Profile | null, complete: (home: string) => Promise<void>): Promise<Profile> {
    if (!profileName.test(name)) {
      throw new Invalid('name: lower-case letters, digits, "-" and "_", 64 at most, beginning with a letter or digit')
    }
    const home = join(this.#folder, name)
    if (name === this.#root.name || lstatSync(home, { throwIfNoEntry: false }) !== undefined) {
      throw new Invalid(`There is already a profile named ${name}`)
    }
    const unfinished = join(this.#folder, `.new-${randomBytes(6).toString('hex')}`)
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    try {
      if (from !== null) await cloneFiles(from, unfinished)
      await complete(unfinished)
      await rename(unfinished, home)
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true })
      throw error
    }
    return { name, home, isDefault: false }
  }

  /**
   * Removes a profile: its home is kept in a folder of deleted ones for 30 days, without its `.env` and the keys in its config.yaml. If the
   * home is a link, only the link is removed: its target belongs to someone else.
   */
  async remove ({ name, home }: Profile, nowMs: number): Promise<void> {
    if (lstatSync(home).isSymbolicLink()) {
      await unlink(home)
      return
    }
    const aside = join(this.#folder, deletedFolder)
    await mkdir(aside, { recursive: true, mode: 0o700 })
    const kept = join(aside, `${name}-${nowMs}`)
    await rename(home, kept)
    await removeSecrets(kept)
  }

  /** Deletes homes that were deleted long ago, and leftovers of interrupted creations and deletions, including secrets. */
  async sweep (nowMs: number): Promise<void> {
    const aside = join(this.#folder, deletedFolder)
    const deleted = namesIn(aside)
    for (const name of deleted) if (lstatSync(join(aside, name)).isDirectory()) await removeSecrets(join(aside, name))
    const old = deleted.filter((name) => nowMs - Number(/-(\d+)$/.exec(name)?.[1] ?? nowMs) > deletedKeptMs).map((name) =>
      join(aside, name))
    const unfinished = namesIn(this.#folder).filter((name) => name.startsWith('.new-')).map((name) => join(this.#folder, name))
    for (const folder of [...old, ...unfinished]) await rm(folder, { recursive: true, force: true })
  }
}

/** A service that works in one of several profiles and does not see the others. */
export class OneHome implements Homes {
  readonly only: Profile

  constructor (home: string) {
    this.only = { name: basename(home), home, isDefault: false }
  }

  list (): Profile[] {
    return [this.only]
  }

  get (name: string): Profile | undefined {
    return name === this.only.name ? this.only : undefined
  }
}

/** Whether a home is a folder of the kind that named profiles have. */
export function isNamedHome (home: string): boolean {
  return basename(dirname(home)) === 'profiles' && profileName.test(basename(home))
}

/** Throws while the answer is unknown, as with a disk that does not respond. */
function isFolder (path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch (error) {
    // A loop of links leads nowhere.
    if (codeOf(error) === 'ELOOP') return false
    throw error
  }
}

const namesIn = (path: string): string[] => tried(() => readdirSync(path).sort(), [])

/** Copies the files that a new profile can take from another one. Throws Invalid for one that cannot be read. */
async function cloneFiles (from: Profile, to: string): Promise<void> {
  for (const file of clonedFiles) {
    const found = readHomeFile(join(from.home, file))
    if (found === undefined) continue
    if ('problem' in found) throw new Invalid(`${file} of the profile ${from.name} ${found.problem}: it cannot be cloned`)
    await replaceFile(join(to, file), found.text, { mode: 0o600 })
  }
}
