import { access, copyFile, constants, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { commandLine } from '../../../ground/command-line.js'
import { assertWhole, DamagedDatabase, databaseFile, identify, inPlainWords, knownVersion } from '../../../ground/database/index.js'
import { codeOf, ignoring } from '../../../ground/errors.js'
import { scratchPrefix } from '../../../ground/files/scratch.js'
import { openForReading } from '../../backups/index.js'
import { type Check, type Finding, ok, problem, skipped, warning } from '../check.js'
import { isForbidden, statIfThere, unopenable } from '../files.js'
import { sizeWords } from '../texts.js'

/** A larger database takes too long to copy. */
const mostCopiedBytes = 512 * 1024 ** 2
const restore = `Restore a backup, with the service stopped:\n${commandLine('restore backup-NAME')}`

interface Options { stateDir: string, isHeld: () => boolean }

/**
 * Checks the database of a service that does not run. Opening it would leave files next to it, or write its log into it. So only its header
 * is read in place, and a copy is checked. `isHeld`: whether a process holds the state folder; its writes would tear a copy.
 */
export function databaseFileCheck ({ stateDir, isHeld }: Options): Check {
  return {
    id: 'database',
    group: 'storage',
    title: 'Database',
    limitMs: 30_000,
    async run () {
      const file = databaseFile(stateDir)
      try {
        const stats = await statIfThere(file)
        if (stats === null) return skipped('The database does not exist yet.', 'Start the service once, which creates it.')
        // Opening a pipe would wait for a writer.
        if (!stats.isFile()) return problem(`${file} is not a file.`, `Move it away. ${restore}`)
        await access(file, constants.R_OK)
        const size = sizeWords(stats.size)
        if (isHeld()) return skipped(`The database (${size}) is in use by another process, so its content was not checked.`)
        assertWhole(file, { writable: false })
        if (stats.size > mostCopiedBytes) {
          return skipped(`The database (${size}) is too large to be checked here; the service checks it after each start.`)
        }
        return await examined(file, size, isHeld)
      } catch (error) {
        if (isForbidden(error)) return await unopenable(file, false)
        if (codeOf(error) === 'EIO') {
          return problem('The disk of the database reports errors.', 'Look at the log of the system:\nsudo dmesg | tail -50')
        }
        const explained = inPlainWords(error, file)
        if (explained === null) throw error
        return explained instanceof DamagedDatabase ? problem(explained.problem, restore) : problem(explained.message, null)
      }
    }
  }
}

async function examined (file: string, size: string, isHeld: Options['isHeld']): Promise<Finding> {
  const folder = await mkdtemp(scratchPrefix('doctor'))
  try {
    const copy = join(folder, 'service.db')
    const before = await writesOf(file)
    if (!await copied(file, copy)) return skipped('The database was not checked: there is no room for a temporary copy.')
    if (isHeld() || await writesOf(file) !== before) {
      return skipped('The database was written to while it was copied, so it was not checked.')
    }
    return judge(copy, { file, size })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns a value that changes with every write. */
async function writesOf (file: string): Promise<string> {
  const stats = await Promise.all([file, `${file}-wal`].map(statIfThere))
  return JSON.stringify(stats.map((each) => each === null ? null : [each.size, each.mtimeMs]))
}

/** Copies the database and its log, if there is one. Returns false if there is no room. */
async function copied (file: string, copy: string): Promise<boolean> {
  try {
    await copyFile(file, copy, constants.COPYFILE_FICLONE)
    await copyFile(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE).catch(ignoring('ENOENT'))
    return true
  } catch (error) {
    if (['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

function judge (copy: string, { file, size }: { file: string, size: string }): Finding {
  const sqlite = openForReading(copy)
  try {
    const { version } = identify(sqlite, file)
    const verdict = String(sqlite.pragma('quick_check(1)', { simple: true }))
    if (verdict !== 'ok') return problem(`The database is damaged (${verdict.split('\n').at(-1) ?? ''}).`, restore)
    const words = `${size}, version ${version} of ${knownVersion}, no damage found`
    return version < knownVersion
      ? warning(`The database is from an older version (${words}).`, `The next start migrates it. Make a backup first:\n${commandLine('backup')}`)
      : ok(`The database is intact: ${words}.`)
  } finally {
    sqlite.close()
  }
}
