import { createHash, randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createQueue } from '../../ground/concurrency/queue.js'
import { realPath } from '../../ground/containment.js'
import { codeOf, Conflict, Invalid, refuseWrite, TooLarge } from '../../ground/errors.js'
import { makeFolders } from '../../ground/home/home-file.js'
import { visible } from '../../ground/visible.js'
import { atSpot, openFolder, refuse, type Spot } from '../../workspace/place/place.js'
import { longestTextBytes } from './linked-files.js'
import { skillFile } from './scan.js'

const nameForm = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u
const deletedPrefix = '.deleted-'
const leftBeside = /^\.SKILL\.md\.[0-9a-f]{12}\.tmp$/

/** The name that a skill is saved under: lower case, blanks as hyphens. Throws Invalid for what can be no name. */
export function skillName (name: string): string {
  const plain = name.trim().toLowerCase().replace(/\s+/g, '-')
  if (plain.includes('/') || plain.includes('..')) throw new Invalid('Invalid skill name: it must contain neither "/" nor ".."')
  if (!nameForm.test(plain) || visible(plain) !== plain) {
    throw new Invalid('Invalid skill name: letters, digits, ".", "_" and "-", 64 characters at most, beginning with a letter or digit')
  }
  return plain
}

/** The folder for a category; empty = none. Throws Invalid. */
export function categoryName (category: string): string {
  const plain = category.trim().replace(/\s+/g, '-')
  if (plain.includes('/') || plain.includes('..')) throw new Invalid('Invalid category: it must contain neither "/" nor ".."')
  if (plain !== '' && (!nameForm.test(plain) || visible(plain) !== plain)) {
    throw new Invalid('Invalid category: letters, digits, ".", "_" and "-", 64 characters at most, beginning with a letter or digit')
  }
  return plain
}

/** Which text a file holds; `none` when there is no file. */
export const versionOf = (text: string | null): string => text === null ? 'none' : createHash('sha256').update(text).digest('hex')

/** The skills in a profile's own folder, for writing: one change at a time for each profile, each on disk when it resolves. */
export class OwnSkills {
  readonly #inTurn = createQueue()

  /**
   * Writes a SKILL.md, beside its place and then into it. `place` is the skill's folder from the folder of skills on.
   *
   * @param expected the text that it takes the place of (versionOf); null = whatever there is
   * @throws Invalid where a link or something else stands in the way, Conflict when the text is another one by now, TooLarge,
   * Forbidden, Unavailable (`disk_full`)
   */
  async write (home: string, place: string, content: string, expected: string | null = null): Promise<void> {
    if (Buffer.byteLength(content) > longestTextBytes) throw new TooLarge(`A skill has ${longestTextBytes} bytes at most`)
    const root = join(home, 'skills')
    await this.#inTurn(home, async () => {
      await makeFolders(home, root).catch(refuse('Profile not found'))
      if (!await stat(root).then((found) => found.isDirectory(), () => false)) {
        throw new Invalid('The skills folder is not a folder')
      }
      const territory = { root: realPath(root), closed: [] }
      const parts = place.split('/')
      for (let depth = 1; depth <= parts.length; depth++) await atSpot(territory, parts.slice(0, depth).join('/'), makeFolder)
      await atSpot(territory, `${place}/${skillFile}`, async (spot) => await putText(spot, content, expected))
    }).catch(refuseWrite)
  }

  /** Removes a skill's folder with everything in it. Throws NotFound, and Invalid where a link stands. */
  async remove (home: string, place: string): Promise<void> {
    await this.#inTurn(home, async () => {
      const territory = { root: realPath(join(home, 'skills')), closed: [] }
      await atSpot(territory, place, async (spot) => {
        const found = await lstat(spot.at).catch(refuse('Skill not found'))
        if (!found.isDirectory()) throw new Invalid('This skill is not a plain folder')
        const aside = `${spot.base}/${deletedPrefix}${randomBytes(6).toString('hex')}`
        // Gone as a whole at once; a kill in the middle of the removal leaves a hidden folder, which the next one clears.
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

async function makeFolder ({ at, name, folder }: Spot): Promise<void> {
  const found = await lookAt(at)
  if (found === undefined) {
    await mkdir(at, { mode: 0o700 }).catch(refuse('Folder not found'))
    await folder.sync()
  } else if (found.isSymbolicLink()) throw new Invalid(`${name} is a symbolic link. Skills are not saved through links`, 'symlink')
  else if (!found.isDirectory()) throw new Invalid(`${name} is a file, so no skill can have this name`)
}

async function putText ({ at, base, folder }: Spot, content: string, expected: string | null): Promise<void> {
  const found = await lookAt(at)
  if (found?.isSymbolicLink() === true) throw new Invalid(`${skillFile} is a symbolic link. Skills are not saved through links`, 'symlink')
  if (found !== undefined && !found.isFile()) throw new Invalid(`${skillFile} is not a file`)
  // Nobody else writes here now: what is there was left by a write that was killed.
  for (const name of await readdir(base)) if (leftBeside.test(name)) await unlink(`${base}/${name}`)
  const beside = `${base}/.${skillFile}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = await open(beside, 'wx', found === undefined ? 0o600 : found.mode & 0o777).catch(refuse('Folder not found'))
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    if (expected !== null && versionAt(at) !== expected) throw new Conflict('The skill was changed in the meantime', 'changed')
    // At once, so that nobody writes between the question and this.
    renameSync(beside, at)
    await folder.sync()
  } catch (error) {
    await unlink(beside).catch(() => {})
    throw error
  }
}

/** Of a text that is too long for a skill, or none, it is one that nobody expects. */
function versionAt (at: string): string {
  let file: number
  try {
    // It may be a link or a pipe by now.
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

const lookAt = async (at: string) => await lstat(at).catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'ENOENT') return undefined
  throw error
})
