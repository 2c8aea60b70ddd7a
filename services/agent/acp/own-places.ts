import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, type Stats } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { realPath } from '../../ground/files/containment.js'
import { tried } from '../../ground/tried.js'
import { agentPresets, type ConfiguredAgent, type OwnFolder } from '../../providers/index.js'
import { type Beside } from '../sandbox/index.js'

export interface OwnPlacesOptions {
  env: Readonly<Record<string, string>>
  workspace: string
  /** A folder for private copies, which is removed when the agent ends; null if copies are not possible: it sees the files themselves. */
  scratch: string | null
}

/** Larger files are left out, since copies are made at each start. */
const mostCopiedBytes = 4 * 1024 * 1024
const mostEntries = 1_000

/**
 * Returns what an agent sees of its own settings, sign-in and sessions. Settings name programs that the user's own terminal would start, so
 * the agent can read them, but its changes to them are lost when it ends. Creates missing folders whose content is kept.
 */
export function ownPlaces ({ preset }: Pick<ConfiguredAgent, 'preset'>, options: OwnPlacesOptions): Beside[] {
  const { env: { HOME: home = '/' }, scratch } = options
  const known = preset === null ? { own: [], ownFiles: [] } : agentPresets[preset]
  const files = known.ownFiles.map((path) => join(home, path)).filter((path) => look(path)?.isFile() === true)
  return [
    ...known.own.flatMap((folder, index) => ownFolder(folder, { ...options, home, index })),
    ...files.flatMap((path, index): Beside[] => {
      if (scratch === null) return [{ path, access: 'read' }]
      const from = join(scratch, `file-${index}`)
      return copied(path, from) ? [{ path, access: 'write', from }] : []
    })
  ]
}

/** Returns the other existing paths that the user lets an agent write. */
export function writablePlaces ({ writable }: Pick<ConfiguredAgent, 'writable'>, { HOME: home = '/' }: Readonly<Record<string, string>>): string[] {
  return writable.map((path) => path.replace(/^~(?=\/|$)/, home)).filter((path) => isAbsolute(path) && existsSync(path)).map(realPath)
}

function ownFolder (
  { path, variable, kept: names, fresh }: OwnFolder,
  { env, home, workspace, scratch, index }: OwnPlacesOptions & { home: string, index: number }
): Beside[] {
  const named = variable === undefined ? undefined : env[variable]
  const root = named !== undefined && isAbsolute(named) ? named : join(home, path)
  const kept = names.map((name) => name.replace('<workspace>', workspace.replaceAll(/[^A-Za-z0-9]/g, '-')))
  for (const name of kept) if (!isFileName(name)) mkdirSync(join(root, name), { recursive: true, mode: 0o700 })
  if (look(root)?.isDirectory() !== true) return []
  const at = (name: string, access: Beside['access'], from?: string): Beside =>
    ({ path: join(root, name), access, ...from === undefined ? {} : { from } })
  const existing = kept.filter((name) => look(join(root, name)) !== null)
  if (scratch === null) {
    return [at('.', 'read'), ...[...existing, ...fresh.filter((name) => look(join(root, name)) !== null)].map((name) => at(name, 'write'))]
  }
  const copies = join(scratch, `folder-${index}`)
  mkdirSync(copies, { recursive: true, mode: 0o700 })
  const isWhole = kept.includes('.')
  const empty = (name: string): Beside => {
    const from = join(scratch, `folder-${index}-${name}`)
    mkdirSync(from, { recursive: true, mode: 0o700 })
    return at(name, 'write', from)
  }
  if (isWhole) return [at('.', 'write'), ...fresh.map(empty)]
  const entries = readdirSync(root).slice(0, mostEntries).filter((name) => !existing.includes(name) && !fresh.includes(name))
  return [
    at('.', 'write', copies),
    ...entries.flatMap((name): Beside[] => {
      // Links are followed: the sandbox shows their target in their place.
      const place = join(root, name)
      if (look(place)?.isDirectory() === true) return [at(name, 'read', realPath(place))]
      copied(place, join(copies, name))
      return []
    }),
    ...fresh.map(empty),
    ...existing.map((name) => at(name, 'write', realPath(join(root, name))))
  ].filter(({ path: place }, index, all) => all.findIndex((other) => other.path === place) === index)
}

const isFileName = (name: string): boolean => name.endsWith('.json')

function copied (path: string, to: string): boolean {
  const found = look(path)
  if (found?.isFile() !== true || found.size > mostCopiedBytes) return false
  try {
    copyFileSync(path, to)
    return true
  } catch {
    return false // what the service may not read, the agent does not need either
  }
}

const look = (path: string): Stats | null => tried(() => statSync(path), null)

/** Returns the folder of an agent's program with everything it needs: its packages, or the file alone. */
export function programPlace (file: string, isClosed: (folder: string) => boolean): string {
  const real = realPath(file)
  const packages = /^(.*?\/node_modules)\//.exec(real)?.[1]
  if (packages !== undefined && !isClosed(packages)) return packages
  for (let folder = dirname(real); folder !== '/' && !isClosed(folder); folder = dirname(folder)) {
    if (look(join(folder, 'package.json')) !== null) return folder
  }
  return real
}
