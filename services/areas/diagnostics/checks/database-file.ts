import { copyFile, constants, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { assertWhole, databaseFile, identify, inPlainWords, knownVersion } from '../../../ground/database/index.js'
import { codeOf } from '../../../ground/errors.js'
import { scratchPrefix } from '../../../ground/scratch.js'
import { openForReading } from '../../backups/index.js'
import { type Check, type Finding, ok, problem, skipped, warning } from '../check.js'
import { sizeWords } from '../texts.js'

/** A larger one takes too long to copy. */
const mostCopiedBytes = 512 * 1024 ** 2
const restore = 'Restore a backup, with the service stopped:\nnpm run restore -- <backup>'

/**
 * The database of a service that does not run. Opening it would leave files beside it, or write its log into it, so only its header is
 * read in place, and a copy is checked. `isHeld`: a process has the state folder, whose writes would tear a copy.
 */
export function databaseFileCheck ({ stateDir, isHeld }: { stateDir: string, isHeld: () => boolean }): Check {
  return {
    id: 'database',
    group: 'storage',
    title: 'Database',
    limitMs: 30_000,
    async run () {
      const file = databaseFile(stateDir)
      const { size } = await stat(file).catch(() => ({ size: null }))
      if (size === null) return skipped('The database does not exist yet.', 'Start the service once, which creates it.')
      try {
        assertWhole(file, { writable: false })
        if (isHeld()) return skipped(`The database (${sizeWords(size)}) is in use by another process, so its content was not checked.`)
        if (size > mostCopiedBytes) return skipped(`The database (${sizeWords(size)}) is too large to be checked here; the service checks it after each start.`)
        return await examined(file, size)
      } catch (error) {
        const explained = inPlainWords(error, file)
        if (explained === null) throw error
        return problem(explained.message, explained.message.includes('Restore a backup') ? restore : null)
      }
    }
  }
}

async function examined (file: string, sizeBytes: number): Promise<Finding> {
  const folder = await mkdtemp(scratchPrefix('doctor'))
  const copy = join(folder, 'service.db')
  try {
    for (const end of ['', '-wal']) {
      const code = await copyFile(file + end, copy + end, constants.COPYFILE_FICLONE).then(() => undefined, codeOf)
      if (code === 'ENOSPC' || code === 'EDQUOT') return skipped('The database was not checked: there is no room for a temporary copy.')
    }
    const sqlite = openForReading(copy)
    try {
      const { version } = identify(sqlite, file)
      const verdict = String(sqlite.pragma('quick_check(1)', { simple: true }))
      if (verdict !== 'ok') return problem(`The database is damaged (${verdict.split('\n').at(-1) ?? ''}).`, restore)
      const words = `${sizeWords(sizeBytes)}, version ${version} of ${knownVersion}, no damage found`
      return version < knownVersion
        ? warning(`The database is from an older version (${words}).`, 'The next start migrates it. Make a backup first:\nnpm run backup')
        : ok(`The database is well: ${words}.`)
    } finally {
      sqlite.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
