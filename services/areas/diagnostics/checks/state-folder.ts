import { lstat, mkdtemp, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseFile } from '../../../ground/database/index.js'
import { codeOf } from '../../../ground/errors.js'
import { homeFiles } from '../../../ground/home/settings.js'
import { type Check, type Finding, orOk, problem, skipped, warning } from '../check.js'
import { shellPath } from '../texts.js'

const forOthers = 0o007
const forGroup = 0o070
const sampleBytes = 4_096

/** Folders and files that hold keys and conversations: they belong to this user, nobody else can read them, and they can be written. */
export function stateFolderCheck ({ home, stateDir }: { home: string, stateDir: string }): Check {
  return {
    id: 'state-folder',
    group: 'storage',
    title: 'State folder',
    async run () {
      if (await lstat(stateDir).catch(() => null) === null) {
        return skipped(`The state folder ${stateDir} does not exist yet.`, 'Start the service once, which creates it.')
      }
      const places = [home, stateDir, databaseFile(stateDir), homeFiles.env(home), homeFiles.config(home)]
      const found = await Promise.all([...places.map(async (path) => await reading(path)), writing(stateDir)])
      return orOk(found.flat(), 'The state folder can be written, and only its owner can read it.')
    }
  }
}

/** What is wrong with a file or folder itself; one that is not there has no problem. */
async function reading (path: string): Promise<Finding[]> {
  const itself = await lstat(path).catch(() => null)
  if (itself === null) return []
  const stats = await stat(path).catch(() => null)
  if (stats === null) {
    return [problem(
      `${path} is a symbolic link to ${await readlink(path)}, which is not there.`, 'Mount or restore the folder that it leads to, or remove the link.'
    )]
  }
  const fix = `Let only its owner open it:\nchmod ${stats.isDirectory() ? 'u=rwx,go=' : 'u=rw,go='} ${shellPath(path)}`
  const found: Finding[] = []
  if ((stats.mode & forOthers) !== 0) found.push(problem(`Every user of this machine can open ${path}.`, fix))
  else if ((stats.mode & forGroup) !== 0) found.push(warning(`Users of the same group can open ${path}.`, fix))
  const user = process.getuid?.() ?? 0
  // root may do everything.
  if (user !== 0 && stats.uid !== user) {
    found.push(problem(`${path} belongs to user ${stats.uid}; this runs as user ${user}.`, `Give it to the user of the service:\nsudo chown -R ${user} ${shellPath(path)}`))
  }
  return found
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
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return problem(`Nothing can be written to ${folder}: the disk is full.`, `Make room on its disk:\ndf -h ${shellPath(folder)}`)
  }
  const fix = code === 'EROFS'
    ? `Mount its disk writable:\nsudo mount -o remount,rw "$(findmnt -no TARGET -T ${shellPath(folder)})"`
    : `Make it writable for the user of the service:\nls -ld ${shellPath(folder)}`
  return problem(`Nothing can be written to ${folder} (${code}).`, fix)
}
