import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import { type CheckRunner, type SandboxStatus } from '../../agent/index.js'
import { within } from '../../ground/files/containment.js'
import { DomainError } from '../../ground/errors.js'
import { type Checkpoints } from '../../workspace/checkpoints/index.js'
import { openRaw, type Territory } from '../../workspace/files/index.js'
import { proposalsIn } from './finding.js'
import { type CheckSite } from './site.js'

export interface HereOptions {
  /** Returns what may be seen of a folder. Throws Forbidden for a folder that is not opened. */
  territory: (folder: string) => Territory
  checkpoints: Pick<Checkpoints, 'list' | 'diff'>
  runner: Pick<CheckRunner, 'run'>
  /** How commands of a profile are confined. */
  sandbox: (profile: string) => Promise<SandboxStatus>
}

/** How much is read of a file that may offer checks. */
const readBytes = 256 * 1024
const longestPath = 1_024

/** Checks of folders of this machine. */
export function createSiteHere ({ territory, checkpoints, runner, sandbox }: HereOptions): CheckSite {
  return {
    async look (profile, folder) {
      const [proposals, { available }] = await Promise.all([
        proposalsIn(async (name) => await beginningOf(territory(folder), name)), sandbox(profile)
      ])
      return { proposals, isConfined: available }
    },

    async run ({ profile, isConfined, ...check }) {
      const status: SandboxStatus = isConfined ? await sandbox(profile) : { available: false, reason: 'it is not wanted' }
      return isConfined && !status.available
        ? { passed: false, ended: 'unstarted', exitCode: null, output: 'There is no sandbox any more, so the check did not run.' }
        : await runner.run(profile, { ...check, sandbox: status })
    },

    pathsIn,

    async hasChanged (folder, streamId) {
      const taken = checkpoints.list(territory(folder).root).find((checkpoint) => checkpoint.streamId === streamId)
      if (taken === undefined) return false
      // If the earlier state could not be recorded, whether it has changed is unknown.
      return taken.state !== 'ready' || (await checkpoints.diff(territory(folder), taken.id)).files.length > 0
    }
  }
}

/** Returns null if the file does not exist, or must not be read. */
async function beginningOf (territory: Territory, name: string): Promise<string | null> {
  try {
    const { handle } = await openRaw(territory, null, name)
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(readBytes), 0, readBytes, 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}

/** Implements `CheckSite.pathsIn` for this machine. */
export async function pathsIn (folder: string, files: readonly string[]): Promise<Array<string | null>> {
  const paths: Array<string | null> = []
  for (const file of files) paths.push(await pathIn(folder, file))
  return paths
}

async function pathIn (folder: string, file: string): Promise<string | null> {
  if (file.includes('\0') || file.length > longestPath) return null
  const real = await realpath(isAbsolute(file) ? file : resolve(folder, file)).catch(() => null)
  return real === null || real === folder || !within(folder, real) ? null : relative(folder, real)
}
