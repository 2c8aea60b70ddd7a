import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packagedAs, releaseKind, type PackagedAs } from '../../ground/command-line.js'
import { fieldsOf } from '../../ground/fields.js'

/** How a published form of the service was installed. */
export type PublishedAs = PackagedAs | 'archive' | 'image'

export interface Published {
  as: PublishedAs
  /** The folder of the installation. */
  root: string
  /** The name of the package. */
  name: string
  version: string
  /** Null: the package does not name one. */
  repository: string | null
}

const installLines: Partial<Record<PublishedAs, string>> = {
  'npm-global': 'npm install --global', 'npm-local': 'npm install', npx: 'npx', pnpm: 'pnpm add --global', bun: 'bun add --global'
}

/**
 * Returns the published form that a build belongs to, `dist` by its real path; null if it was built locally. Throws if its files cannot be
 * read.
 */
export function readPublished (dist: string, inContainer: () => boolean): Published | null {
  const kind = releaseKind(dist)
  if (kind === null) return null
  const root = dirname(dist)
  // The image has no package.json around its build.
  const { name, version, repository } = fieldsIn(join(existsSync(join(root, 'package.json')) ? root : dist, 'package.json'))
  const { url } = fieldsOf(repository)
  return {
    root,
    as: kind === 'npm' ? packagedAs(root) : kind === 'archive' ? 'archive' : inContainer() ? 'image' : 'copy',
    name: String(name),
    version: String(version),
    repository: typeof url === 'string' ? url.replace(/^git\+/, '') : null
  }
}

/** Whether a build is that of a program that is started in any folder, not only in its own. */
export function isStartedAnywhere (dist: string): boolean {
  return ![null, 'program'].includes(releaseKind(dist))
}

const fieldsIn = (file: string): Record<string, unknown> => fieldsOf(JSON.parse(readFileSync(file, 'utf8')))

/** Returns the command that installs a version over the present one; null if no command can. Pure. */
export function installLine ({ as, name }: Pick<Published, 'as' | 'name'>, version: string): string | null {
  const line = installLines[as]
  return line === undefined ? null : `${line} ${name}@${version}`
}

/** Returns what to do about a newer version. Pure. */
export function wayTo (published: Pick<Published, 'as' | 'name'>, version: string): { message: string, command?: string } {
  const command = installLine(published, version)
  if (command === null) return otherWay(published)
  const how = published.as === 'npx'
    ? 'Stop the service, and start it with this line'
    : 'Stop the service, run this line in a terminal, and start it again'
  return { message: `Version ${version} is available. ${how}: ${command}`, command }
}

/** Returns how to install the newest version over the present one, which does not run. Pure. */
export function wayToNewest (published: Pick<Published, 'as' | 'name'>): string {
  const line = installLine(published, 'latest')
  if (line !== null) return `This line installs the newest version: ${line}`
  const { message, command } = otherWay(published)
  return command === undefined ? message : `${message}: ${command}`
}

/** Returns how to install a new version whose number is unknown. Pure. */
export function otherWay ({ as }: Pick<Published, 'as'>): { message: string, command?: string } {
  if (as === 'image') {
    return {
      message: 'This service runs from a container image. Build the new image from an up-to-date clone, or pull it, and start its container again, for instance with Compose',
      command: 'git pull && docker compose up --build --detach'
    }
  }
  return {
    message: as === 'archive'
      ? 'This service was installed from an archive. Stop it, unpack the archive of the new version beside its folder, and start it from there'
      : 'This service was not installed as a git checkout. Install the new version the way you installed this one'
  }
}
