import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { releaseKind } from '../../ground/command-line.js'
import { fieldsOf } from '../../ground/fields.js'

/** How a published form of the service was installed. `copy`: in an unknown way. */
export type PublishedAs = 'npm-global' | 'npm-local' | 'npx' | 'pnpm' | 'bun' | 'archive' | 'image' | 'copy'

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

interface Way { as: PublishedAs, path: RegExp }

/** Where package managers install programs; the first match counts. A global installation of npm has no mark of its own. */
const ways: readonly Way[] = [
  { as: 'npx', path: /\/_npx\/[^/]+\/node_modules\// },
  { as: 'pnpm', path: /\/pnpm\/(?:[^/]+\/)*global\// },
  { as: 'bun', path: /\/\.bun\/install\/global\/node_modules\// }
]

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
    as: kind === 'npm' ? placeOf(root) : kind === 'archive' ? 'archive' : inContainer() ? 'image' : 'copy',
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

function placeOf (root: string): PublishedAs {
  const way = ways.find(({ path }) => path.test(`${root}/`))
  if (way !== undefined) return way.as
  const above = /^(.*)\/node_modules\/(?:@[^/]+\/)?[^/]+$/.exec(root)?.[1]
  if (above === undefined) return 'copy'
  return existsSync(join(above, 'package.json')) ? 'npm-local' : 'npm-global'
}

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

/** Returns how to install a new version whose number is unknown. Pure. */
export function otherWay ({ as }: Pick<Published, 'as'>): { message: string, command?: string } {
  if (as === 'image') {
    return {
      message: 'This service runs from a container image. Pull the new image and start its container again, for instance with Compose',
      command: 'docker compose pull && docker compose up --detach'
    }
  }
  return {
    message: as === 'archive'
      ? 'This service was installed from an archive. Stop it, unpack the archive of the new version beside its folder, and start it from there'
      : 'This service was not installed as a git checkout. Install the new version the way you installed this one'
  }
}
