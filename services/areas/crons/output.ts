import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, lstat, mkdir, open, readdir, readFile, rename, rm, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { pathOfOpened } from '../../ground/files/containment.js'
import { codeOf, ignoring, lacksHardLinks, NotFound } from '../../ground/errors.js'
import { localTime, two } from '../../ground/time/zones.js'
import { present } from '../../ground/present.js'

export interface OutputFile { filename: string, sizeBytes: number, modifiedMs: number }

const jobIdPattern = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/
const outputName = /^\d{4,5}-\d\d-\d\d_\d\d-\d\d-\d\d\.md$/
/** At most this much of a file is read. */
const mostBytes = 4 * 1024 * 1024
/** Files of the same second get the names of the following seconds. */
const mostAttempts = 600
const unfinishedKeptMs = 3_600_000

/** If the home is missing, or something else has taken a place of the path. */
const unlessGone = ignoring('ENOENT', 'ENOTDIR', 'ELOOP')

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/**
 * Works in the folder of a job's output, in the home of its profile, with a path that means that very folder. Each step to it is
 * opened by itself, so a symlink in any place of it is refused. Null when it is not there.
 */
async function inFolder<T> (home: string, jobId: string, isMade: boolean, work: (path: string) => Promise<T>): Promise<T | null> {
  if (!jobIdPattern.test(jobId)) return null
  let folder = await open(home, constants.O_RDONLY | constants.O_DIRECTORY)
  let path = await pathOfOpened(folder, home)
  let plain = home
  try {
    for (const name of ['cron', 'output', jobId]) {
      if (isMade) await mkdir(join(path, name), { mode: 0o700 }).catch(ignoring('EEXIST'))
      const next: FileHandle = await open(join(path, name), folderFlags)
      await folder.close()
      folder = next
      plain = join(plain, name)
      path = await pathOfOpened(folder, plain)
    }
    const result = await work(path)
    if (isMade) await folder.sync()
    return result
  } catch (error) {
    if (isMade) throw error
    return unlessGone(error)
  } finally {
    await folder.close()
  }
}

/**
 * Writes a file that is named after the time of its run, and removes all but the newest `keep`; 0: all are kept. Returns the name.
 * `isAgain`: the file may have been written before.
 */
export async function writeOutput (
  home: string, jobId: string,
  { text, atMs, zone, keep, isAgain = false }: { text: string, atMs: number, zone: string, keep: number, isAgain?: boolean }
): Promise<string> {
  const written = await inFolder(home, jobId, true, async (path) => {
    const filename = await writeNew(path, text, { atMs, zone, isAgain })
    await dropUnfinished(path)
    if (keep > 0) {
      const files = await filesIn(path)
      for (const { filename: old } of files.slice(keep)) if (old !== filename) await unlink(join(path, old)).catch(ignoring('ENOENT'))
    }
    return filename
  })
  return present(written, 'the folder of a job')
}

/** Links a file to its name only when it is complete. `isAgain`: an existing file with exactly this text is used. */
async function writeNew (
  path: string, text: string, { atMs, zone, isAgain }: { atMs: number, zone: string, isAgain: boolean }
): Promise<string> {
  const unfinished = join(path, `.${randomBytes(6).toString('hex')}.part`)
  try {
    const file = await open(unfinished, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    for (let attempt = 0; ; attempt++) {
      const filename = nameAt(atMs + attempt * 1000, zone)
      try {
        await link(unfinished, join(path, filename))
        return filename
      } catch (error) {
        if (lacksHardLinks(error)) {
          await rename(unfinished, join(path, filename))
          return filename
        }
        if (codeOf(error) !== 'EEXIST' || attempt >= mostAttempts) throw error
        if (isAgain && await holds(join(path, filename), text)) return filename
      }
    }
  } finally {
    await unlink(unfinished).catch(() => {})
  }
}

async function holds (path: string, text: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => null)
  return stats?.isFile() === true && stats.size === Buffer.byteLength(text) && await readFile(path, 'utf8') === text
}

/** Removes unfinished files that a kill has left; writing never takes as long as an hour. */
async function dropUnfinished (path: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (!/^\.[0-9a-f]{12}\.part$/.test(name)) continue
    const stats = await lstat(join(path, name)).catch(() => null)
    if (stats !== null && Date.now() - stats.mtimeMs > unfinishedKeptMs) await unlink(join(path, name)).catch(ignoring('ENOENT'))
  }
}

function nameAt (atMs: number, zone: string): string {
  const { year, month, day, hour, minute, second } = localTime(atMs, zone)
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}_${two(hour)}-${two(minute)}-${two(second)}.md`
}

/** The newest first. */
async function filesIn (path: string): Promise<OutputFile[]> {
  const names = (await readdir(path)).filter((name) => outputName.test(name))
  const found = await Promise.all(names.map(async (filename) => {
    const stats = await lstat(join(path, filename)).catch(() => null)
    return stats?.isFile() === true ? { filename, sizeBytes: stats.size, modifiedMs: stats.mtimeMs } : null
  }))
  return found.filter((file) => file !== null).sort((a, b) => b.modifiedMs - a.modifiedMs || (a.filename < b.filename ? 1 : -1))
}

/** The newest first; empty if there is no folder. */
export const listOutput = async (home: string, jobId: string): Promise<OutputFile[]> =>
  await inFolder(home, jobId, false, filesIn).catch(unlessGone) ?? []

/** Returns the text of a file. Throws NotFound. */
export async function readOutput (home: string, jobId: string, filename: string): Promise<string> {
  const text = !outputName.test(filename)
    ? null
    : await inFolder(home, jobId, false, async (path) => {
      const file = await open(join(path, filename), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      try {
        if (!(await file.stat()).isFile()) return null
        const bytes = Buffer.alloc(Math.min(mostBytes, (await file.stat()).size))
        const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
        return bytes.toString('utf8', 0, bytesRead)
      } finally {
        await file.close()
      }
    }).catch(unlessGone)
  if (text === null) throw new NotFound('Run not found')
  return text
}

/** Removes all of a job's output. */
export async function removeOutput (home: string, jobId: string): Promise<void> {
  // Opening the folder first makes sure that no part of its path below the home is a symlink.
  const isThere = await inFolder(home, jobId, false, async () => true).catch(unlessGone)
  if (isThere === true) await rm(join(home, 'cron', 'output', jobId), { recursive: true, force: true })
}

/** Moves a job's output to another home. */
export async function moveOutput (from: string, to: string, jobId: string): Promise<void> {
  if (await inFolder(from, jobId, false, async () => true).catch(unlessGone) !== true) return
  await inFolder(to, jobId, true, async () => {})
  await rename(join(from, 'cron', 'output', jobId), join(to, 'cron', 'output', jobId))
}
