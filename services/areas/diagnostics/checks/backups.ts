import { access, constants, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { commandLine } from '../../../ground/command-line.js'
import { databaseFile } from '../../../ground/database/index.js'
import { newestBackup } from '../../backups/index.js'
import { type Check, type Finding, coded, ok, problem, skipped, warning } from '../check.js'
import { isForbidden, statIfThere, unopenable } from '../files.js'
import { ageWords } from '../texts.js'

export interface BackupsOptions {
  stateDir: string
  backup: { folder: string, everyHours: number }
  isService: boolean
  nowS: () => number
  /** The service's complaint about its last backup; null if nothing is wrong, or no service runs. */
  complaint?: () => string | null
}

const make = `Make one now:\n${commandLine('backup')}`

/** Whether the newest backup is recent enough and readable. */
export function backupsCheck ({ stateDir, backup, isService, nowS, complaint = () => null }: BackupsOptions): Check {
  const { folder, everyHours } = backup
  return {
    id: 'backups',
    group: 'storage',
    title: 'Backups',
    async run () {
      const said = complaint()
      if (said !== null) {
        return problem(
          said,
          'Fix what prevents it (room in the folder, its permissions), then try again:\n' +
          `${commandLine('backup')}\n# The folder: ${folder}`
        )
      }
      try {
        const newest = await newestBackup(folder)
        if (newest === null) return await none()
        return await damage(join(folder, newest.name), newest.manifest.database_bytes) ?? age(nowS() - newest.manifest.made_at)
      } catch (error) {
        if (isForbidden(error)) return await unopenable(folder, isService)
        throw error
      }
    }
  }

  function age (ageS: number): Finding {
    if (ageS < -300) {
      return warning(
        'The newest backup is from the future: the clock was set back.', 'Check the clock of this machine:\ntimedatectl status'
      )
    }
    const seconds = Math.round(Math.max(0, ageS))
    const words = `The newest backup is ${ageWords(seconds)} old`
    if (everyHours === 0) {
      return coded(
        warning(
          `${words}; none is made by itself.`, 'Have one made every day, in the environment of the service:\nSVC_WEBUI_BACKUP_HOURS=24'
        ),
        'backup_by_hand', { seconds }
      )
    }
    return ageS > 2 * everyHours * 3_600
      ? coded(warning(`${words}, and one is due every ${everyHours} hours.`, make), 'backup_late', { seconds, hours: everyHours })
      : coded(ok(`${words}.`), 'backup_age', { seconds })
  }

  async function none (): Promise<Finding> {
    if (await statIfThere(databaseFile(stateDir)) === null) return coded(skipped('There is nothing to back up yet.'), 'backup_nothing')
    return everyHours === 0
      ? warning(
        'There is no backup, and none is made by itself.',
        `${make}\n# Or in the environment of the service:\nSVC_WEBUI_BACKUP_HOURS=24`, 'backups_off'
      )
      : warning('There is no backup yet. The service makes the first one a few minutes after its start.', make, 'backup_to_come')
  }
}

/** Checks whether the files of a backup exist in full size and are readable; `npm run restore` reads their content. */
async function damage (folder: string, wantedBytes: number): Promise<Finding | null> {
  const file = databaseFile(folder)
  try {
    await access(file, constants.R_OK)
    const { size } = await stat(file)
    return size === wantedBytes ? null : problem(`The newest backup is damaged: ${size} of ${wantedBytes} bytes are there.`, make)
  } catch (error) {
    if (isForbidden(error)) throw error
    return problem('The newest backup cannot be read.', make)
  }
}
