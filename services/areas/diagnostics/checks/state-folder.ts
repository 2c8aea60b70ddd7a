import { type Stats } from 'node:fs'
import { lstat, mkdtemp, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { databaseFile } from '../../../ground/database/index.js'
import { codeOf, ignoring } from '../../../ground/errors.js'
import { homeFiles } from '../../../ground/home/settings.js'
import { type Check, coded, type Finding, orOk, problem, skipped, warning } from '../check.js'
import { giveTo, isForbidden, ownUser, runAs, statIfThere, unopenable } from '../files.js'
import { shellPath } from '../texts.js'

const forOthers = 0o007
const forGroup = 0o070
const sampleBytes = 4_096

export interface StateFolderOptions {
  home: string
  stateDir: string
  /** Whether the service itself runs the check, so that the files must belong to this user. */
  isService: boolean
  user?: number
}

/**
 * Folders and files with keys and conversations: whether they belong to this user, only this user can read them, and they can be written.
 */
export function stateFolderCheck ({ home, stateDir, isService, user = ownUser() }: StateFolderOptions): Check {
  return {
    id: 'state-folder',
    group: 'storage',
    title: 'State folder',
    async run () {
      try {
        if (await lstat(stateDir).catch(ignoring('ENOENT')) === null) {
          const missing = skipped(`The state folder ${stateDir} does not exist yet.`, 'Start the service once, which creates it.')
          return coded(missing, 'state_folder_missing', { path: stateDir })
        }
        const owner = (await statIfThere(stateDir))?.uid ?? user
        // What another user can see of them says nothing about the service.
        if (!isService && user !== 0 && owner !== user) {
          return problem(`These files belong to user ${owner}; this runs as user ${user}.`, runAs(owner))
        }
        const places = [home, stateDir, databaseFile(stateDir), homeFiles.env(home), homeFiles.config(home)]
        const found = await Promise.all([...places.map(async (path) => await reading(path)), writing(stateDir)])
        const well = 'The state folder can be written, and only its owner can read it.'
        return orOk([...asRoot(owner), ...found.flat()], well, 'state_folder_ok')
      } catch (error) {
        if (isForbidden(error)) return await unopenable(stateDir, isService)
        throw error
      }
    }
  }

  /** root may open everything, so a check as root does not show what the owner may not. */
  function asRoot (owner: number): Finding[] {
    if (user !== 0 || owner === 0) return []
    if (!isService) return [warning(`These files belong to user ${owner}; this runs as root, which may open everything.`, runAs(owner))]
    const message = `The service runs as root, and its files belong to user ${owner}.`
    return [coded(warning(message, 'Run it as that user: root may do everything.'), 'runs_as_root', { owner })]
  }

  /** Returns what is wrong with a file or folder itself; nothing if it does not exist. */
  async function reading (path: string): Promise<Finding[]> {
    if (await lstat(path).catch(ignoring('ENOENT')) === null) return []
    const stats = await statIfThere(path)
    if (stats === null) {
      const target = await readlink(path)
      return [coded(problem(
        `${path} is a symbolic link to ${target}, which is not there.`,
        'Mount or restore the folder that it leads to, or remove the link.'
      ), 'link_broken', { path, target })]
    }
    const open = openTo(path, { stats, reach: stats.isDirectory() ? forGroup | forOthers : await reachOf(dirname(path)) })
    if (user === 0 || stats.uid === user) return open
    const foreign = problem(`${path} belongs to user ${stats.uid}; this runs as user ${user}.`, giveTo(user, await realpath(path)))
    return [...open, coded(foreign, 'owner_differs', { path, owner: stats.uid, user })]
  }

  /** `reach`: the bits of the group and of others that the file's folder lets in. */
  function openTo (path: string, { stats, reach }: { stats: Stats, reach: number }): Finding[] {
    const fix = `As the user of the service:\nchmod ${stats.isDirectory() ? 'u=rwx,go=' : 'u=rw,go='} ${shellPath(path)}`
    // config.yaml holds no keys, unless someone has put them there.
    const problemOrWarning = path === homeFiles.config(home) ? warning : problem
    if ((stats.mode & reach & forOthers) !== 0) {
      return [coded(problemOrWarning(`Every user of this machine can open ${path}.`, fix), 'open_to_all', { path })]
    }
    // root's group has no other users; images that run as any user give it their folders.
    const isOpenToGroup = (stats.mode & reach & forGroup) !== 0 && stats.gid !== 0
    return isOpenToGroup ? [coded(warning(`Users of the same group can open ${path}.`, fix), 'open_to_group', { path })] : []
  }
}

/** Returns all bits of the group and of others, for those of them that a folder lets in. */
async function reachOf (folder: string): Promise<number> {
  const mode = (await statIfThere(folder))?.mode ?? 0
  return ((mode & forGroup) === 0 ? 0 : forGroup) | ((mode & forOthers) === 0 ? 0 : forOthers)
}

async function writing (folder: string): Promise<Finding[]> {
  let place: string | undefined
  try {
    place = await mkdtemp(join(folder, '.writable-'))
    await writeFile(join(place, 'sample'), Buffer.alloc(sampleBytes, 1), { flush: true })
    return []
  } catch (error) {
    return [unwritable(folder, codeOf(error) ?? 'unknown error')]
  } finally {
    if (place !== undefined) await rm(place, { recursive: true, force: true })
  }
}

function unwritable (folder: string, code: string): Finding {
  const values = { path: folder, code }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const fix = `Make room on its disk:\ndf -h ${shellPath(folder)}`
    return coded(problem(`Nothing can be written to ${folder}: the disk is full.`, fix), 'disk_full', values)
  }
  const message = `Nothing can be written to ${folder} (${code}).`
  if (code === 'EROFS') {
    const fix = `Mount its disk writable:\nsudo mount -o remount,rw "$(findmnt -no TARGET -T ${shellPath(folder)})"`
    return coded(problem(message, fix), 'disk_read_only', values)
  }
  return coded(problem(message, `Make it writable for the user of the service:\nls -ld ${shellPath(folder)}`), 'not_writable', values)
}
