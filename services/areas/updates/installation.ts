import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { inContainer } from '../../ground/process/container.js'
import { readPublished, type Published, type PublishedAs } from './published.js'

/** The folder that may be updated, by its real path; the published form that runs; or why there is neither, in words. */
export type Installation = { root: string } | { published: Published } | { reason: string, isSource?: boolean }

/** How this service was installed. */
export type InstalledAs = 'git' | 'source' | PublishedAs

export interface Program {
  /** The `dist` that is running, as the engine found it: by its real path. Null: the sources run. */
  dist: string | null
  /** The file that this process was told to run, as it was named; undefined: none. */
  startedAs: string | undefined
}

/**
 * What this program may take for its installation: the folder that holds the `dist` that is running, and only where it was
 * also started from there. Through a link to a `dist`, or to files of one, both are different folders, and the program would
 * take the checkout that the link leads to for its own.
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
