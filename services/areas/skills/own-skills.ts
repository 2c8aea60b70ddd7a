import { createHash, randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createQueue } from '../../ground/concurrency/queue.js'
import { realPath } from '../../ground/files/containment.js'
import { codeOf, Conflict, ignoring, Invalid, refuseWrite, TooLarge } from '../../ground/errors.js'
import { makeHomeFolders } from '../../ground/home/home-file.js'
import { visible } from '../../ground/text/visible.js'
import { atSpot, openFolder, refuse, type Spot, type Territory } from '../../workspace/place/place.js'
import { longestTextBytes } from './linked-files.js'
import { type FoundSkill, skillFile } from './scan.js'

const nameForm = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u
const deletedPrefix = '.deleted-'
const leftBeside = /^\.SKILL\.md\.[0-9a-f]{12}\.tmp$/

/** Returns the name under which a skill is saved: lower case, with hyphens for blanks. Throws Invalid if it cannot be a name. */
export function skillName (name: string): string {
  const plain = name.trim().toLowerCase().replace(/\s+/g, '-')
  if (plain.includes('/') || plain.includes('..')) throw new Invalid('Invalid skill name: it must contain neither "/" nor ".."')
  if (!nameForm.test(plain) || visible(plain) !== plain) {
    throw new Invalid('Invalid skill name: letters, digits, ".", "_" and "-", 64 characters at most, beginning with a letter or digit')
  }
  return plain
}

/** Returns the folder of a category; empty for none. Throws Invalid. */
export function categoryName (category: string): string {
  const plain = category.trim().replace(/\s+/g, '-')
  if (plain.includes('/') || plain.includes('..')) throw new Invalid('Invalid category: it must contain neither "/" nor ".."')
  if (plain !== '' && (!nameForm.test(plain) || visible(plain) !== plain)) {
    throw new Invalid('Invalid category: letters, digits, ".", "_" and "-", 64 characters at most, beginning with a letter or digit')
  }
  return plain
}

/** Throws Conflict (`exists`) if a skill at this place would be inside of another one, or above others: one of them would not be found. */
export function refuseNested (own: readonly FoundSkill[], place: string): void {
  for (const { place: other } of own) {
    if (place.startsWith(`${other}/`)) throw new Conflict(`${other} is a skill, so it cannot be a category`, 'exists')
    if (other.startsWith(`${place}/`)) throw new Conflict(`${place} is a category, so no skill can have this name`, 'exists')
  }
}

/** Identifies the text of a file; `none` if the file does not exist. */
export const versionOf = (text: string | null): string => text === null ? 'none' : createHash('sha256').update(text).digest('hex')

/** Writes the skills in a profile's own folder: one change at a time for each profile. Each is on disk when its promise resolves. */
export class OwnSkills {
  readonly #inTurn = createQueue()

  /**
   * Writes a SKILL.md: first next to its place, then into it. `place` is the skill's folder, relative to the folder of skills.
   * @param expected version (see versionOf) of the text to replace; null replaces any text
   * @throws Invalid if a link or anything else is in the way, Conflict if the text has changed, TooLarge, Forbidden, Unavailable
   * (`disk_full`)
   */
  async write (home: string, place: string, content: string, expected: string | null = null): Promise<void> {
    if (Buffer.byteLength(content) > longestTextBytes) throw new TooLarge(`A skill has ${longestTextBytes} bytes at most`)
    await this.inFolder(home, async (territory) => {
      await makeFolder(territory, place)
      await atSpot(territory, `${place}/${skillFile}`, async (spot) => await putText(spot, content, expected))
    })
  }

  /** Runs `work` in the folder of skills, which is created if it is missing, while no other change runs there. Throws as `write` does. */
  async inFolder<T> (home: string, work: (territory: Territory) => Promise<T>): Promise<T> {
    const root = join(home, 'skills')
    return await this.#inTurn(home, async () => {
      await makeHomeFolders(home, root).catch(refuse('Profile not found'))
      if (!await stat(root).then((found) => found.isDirectory(), () => false)) {
        throw new Invalid('The skills folder is not a folder')
      }
      return await work({ root: realPath(root), closed: [] })
    }).catch(refuseWrite)
  }

  /** Removes a skill's folder with everything in it. Throws NotFound, and Invalid if it is a link. */
  async remove (home: string, place: string): Promise<void> {
    await this.#inTurn(home, async () => {
      const territory = { root: realPath(join(home, 'skills')), closed: [] }
      await atSpot(territory, place, async (spot) => {
        const found = await lstat(spot.at).catch(refuse('Skill not found'))
        if (!found.isDirectory()) throw new Invalid('This skill is not a plain folder')
        const aside = `${spot.base}/${deletedPrefix}${randomBytes(6).toString('hex')}`
        // The rename removes the skill at once; a kill in the middle of the deletion leaves a hidden folder, which the next start clears.
        await rename(spot.at, aside).catch(refuse('Skill not found'))
        await spot.folder.sync()
      })
      const folder = await openFolder(territory, place.split('/').slice(0, -1).join('/') || '.')
      try {
        for (const name of await readdir(
          folder.base
        )) if (name.startsWith(deletedPrefix)) await rm(`${folder.base}/${name}`, { recursive: true, force: true }).catch(() => {})
      } finally {
        await folder.handle.close()
      }
    })
  }
}

/** Creates a folder below the folder of skills, with those above it. Throws Invalid if a link or a file is in the way. */
export async function makeFolder (territory: Territory, place: string): Promise<void> {
  const parts = place.split('/')
  for (let depth = 1; depth <= parts.length; depth++) await atSpot(territory, parts.slice(0, depth).join('/'), makeOne)
}

async function makeOne ({ at, name, folder }: Spot): Promise<void> {
  const found = await lookAt(at)
  if (found === null) {
    await mkdir(at, { mode: 0o700 }).catch(refuse('Folder not found'))
    await folder.sync()
  } else if (found.isSymbolicLink()) throw new Invalid(`${name} is a symbolic link. Skills are not saved through links`, 'symlink')
  else if (!found.isDirectory()) throw new Invalid(`${name} is a file, so no skill can have this name`)
}

/** Writes a text first next to its place, then into it. See OwnSkills.write. */
export async function putText ({ at, base, folder }: Spot, content: string, expected: string | null): Promise<void> {
  const found = await lookAt(at)
  if (found?.isSymbolicLink() === true) throw new Invalid(`${skillFile} is a symbolic link. Skills are not saved through links`, 'symlink')
  if (found !== null && !found.isFile()) throw new Invalid(`${skillFile} is not a file`)
  // No other write runs here now: such files were left by a write that was killed.
  for (const name of await readdir(base)) if (leftBeside.test(name)) await unlink(`${base}/${name}`)
  const beside = `${base}/.${skillFile}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = await open(beside, 'wx', found === null ? 0o600 : found.mode & 0o777).catch(refuse('Folder not found'))
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    if (expected !== null && versionAt(at) !== expected) throw new Conflict('Someone else changed this skill. Reload it and try again', 'changed')
    // Synchronous, so that no write can come between the check and the rename.
    renameSync(beside, at)
    await folder.sync()
  } catch (error) {
    await unlink(beside).catch(() => {})
    throw error
  }
}

/** Returns the version of the file at a path; `unknown`, which nothing expects, if it is not a file or too long for a skill. */
function versionAt (at: string): string {
  let file: number
  try {
    // The file may have become a link or a pipe.
    file = openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return versionOf(null)
    throw new Invalid(`${skillFile} is not a file`)
  }
  try {
    const stats = fstatSync(file)
    return stats.isFile() && stats.size <= longestTextBytes ? versionOf(readFileSync(file, 'utf8')) : 'unknown'
  } finally {
    closeSync(file)
  }
}

/** Returns the status of an entry, without following a link; null if it does not exist. */
export const lookAt = async (at: string) => await lstat(at).catch(ignoring('ENOENT'))
