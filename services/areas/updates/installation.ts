import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { inContainer } from '../../ground/process/container.js'
import { readPublished, type Published, type PublishedAs } from './published-form.js'

/** The folder that may be updated, by its real path; or the published form that runs; or a sentence that says why there is neither. */
export type Installation = { root: string } | { published: Published } | { reason: string, isSource?: boolean }

/** How this service was installed. */
export type InstalledAs = 'git' | 'source' | PublishedAs

export interface Program {
  /** The running `dist`, as the engine found it: by its real path. Null: the service runs from its sources. */
  dist: string | null
  /** The file that this process was told to run, as it was named; undefined: none. */
  startedAs: string | undefined
}

/**
 * Finds the installation of this program: the folder that holds the running `dist`, if the program was also started from there. Through a
 * link to a `dist`, or to files of one, the two folders differ, and the program would update the checkout behind the link.
 */
export function findInstallation ({ dist, startedAs }: Program): Installation {
  if (dist === null || startedAs === undefined) {
    return { reason: 'This service runs from its sources. Update them with git pull', isSource: true }
  }
  try {
    const published = readPublished(dist, inContainer)
    if (published !== null) return { published }
    const root = dirname(realpathSync(dist))
    const named = dirname(resolve(startedAs))
    const isOwn = realpathSync(dist) === dist && basename(named) === 'dist' && !lstatSync(named).isSymbolicLink() &&
      realpathSync(dirname(named)) === root
    return isOwn
      ? { root }
      : {
          reason: 'This service was started through a link to another installation. To update it, start it from the folder in which it was built'
        }
  } catch {
    return { reason: 'The folder that this service was started from no longer exists. Start the service again' }
  }
}

export function installedAs (installation: Installation): InstalledAs {
  if ('published' in installation) return installation.published.as
  if ('root' in installation) return existsSync(join(installation.root, '.git')) ? 'git' : 'copy'
  return installation.isSource === true ? 'source' : 'copy'
}
