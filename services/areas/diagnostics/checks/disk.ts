import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { databaseFile } from '../../../ground/database/index.js'
import { type Check, type Finding, coded, ok, problem, skipped, warning } from '../check.js'
import { shellPath, sizeWords } from '../texts.js'

const mib = 1024 ** 2
const [leastBytes, fewBytes] = [100 * mib, 1024 * mib]
const [leastFiles, fewFiles] = [1_000, 10_000]

const bySeverity: ReadonlyArray<Finding['status']> = ['skipped', 'ok', 'warning', 'error']

export interface DiskOptions {
  stateDir: string
  backup: { folder: string, everyHours: number }
  defaultWorkspace: string
  temporary: string
}

/** What a disk has left. `freeFiles` is null if the file system has no fixed number of files. */
interface Room { freeBytes: number, freeFiles: number | null }

/** Room on the disks of the state folder, of backups, of the workspace and of temporary files; each disk once. */
export function diskCheck ({ stateDir, backup, defaultWorkspace, temporary }: DiskOptions): Check {
  return {
    id: 'disk',
    group: 'storage',
    title: 'Disk space',
    async run () {
      const databaseBytes = (await stat(databaseFile(stateDir)).catch(() => null))?.size ?? 0
      const places = [
        { name: 'state folder', path: stateDir, neededBytes: 0 },
        { name: 'backups', path: backup.folder, neededBytes: backup.everyHours > 0 ? databaseBytes : 0 },
        { name: 'default workspace', path: defaultWorkspace, neededBytes: 0 },
        { name: 'temporary files', path: temporary, neededBytes: 0 }
      ]
      const found = new Map<number, Finding>()
      for (const { name, path, neededBytes } of places) {
        const folder = await existing(path)
        const device = (await stat(folder)).dev
        const finding = { ...judgeDisk(await roomOf(folder), { path: folder, neededBytes }), about: name }
        const before = found.get(device)
        if (before === undefined || bySeverity.indexOf(finding.status) > bySeverity.indexOf(before.status)) found.set(device, finding)
      }
      return found.size === 0 ? skipped('No folder exists yet.') : [...found.values()]
    }
  }
}

export function judgeDisk ({ freeBytes, freeFiles }: Room, { path, neededBytes }: { path: string, neededBytes: number }): Finding {
  const fix = `Free or add space. The largest folders of that disk:\ndu -xh --max-depth=2 ${shellPath(path)} | sort -h | tail`
  const free = sizeWords(freeBytes)
  const left = `${free} are free`
  const fewMore = `The disk has room for ${freeFiles} more files.`
  if (freeBytes < leastBytes) return coded(problem(`The disk is almost full: ${left}.`, fix), 'disk_almost_full', { free })
  if (freeFiles !== null && freeFiles < leastFiles) return coded(problem(fewMore, inodeFix(path)), 'disk_few_files', { count: freeFiles })
  if (freeBytes < neededBytes * 1.1) {
    const needed = sizeWords(neededBytes)
    return coded(
      problem(`There is no room for a backup: ${left}, and it needs ${needed}.`, `${fix}\n# Or set SVC_WEBUI_BACKUP_DIR to a folder on another disk.`),
      'disk_backup_room', { free, needed }
    )
  }
  if (freeBytes < fewBytes) return coded(warning(`Little room is left: ${left}.`, fix), 'disk_low', { free })
  if (freeFiles !== null && freeFiles < fewFiles) return coded(warning(fewMore, inodeFix(path)), 'disk_few_files', { count: freeFiles })
  return coded(ok(`${left}.`), 'disk_room', { free })
}

const inodeFix = (path: string): string =>
  `Remove small files that nobody needs. Folders with the most of them:\ndu -x --inodes --max-depth=2 ${shellPath(path)} | sort -n | tail`

async function roomOf (folder: string): Promise<Room> {
  const { bavail, bsize, ffree, files } = await statfs(folder)
  // Btrfs and some network file systems count no files.
  return { freeBytes: bavail * bsize, freeFiles: files === 0 ? null : ffree }
}

/** Returns the folder itself, or the nearest parent that exists. */
async function existing (path: string): Promise<string> {
  const isThere = await stat(path).then(() => true, () => false)
  return isThere || dirname(path) === path ? path : await existing(dirname(path))
}
