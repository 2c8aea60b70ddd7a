import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'
import { tried } from '../../ground/tried.js'
import { realPath, ToolError, within } from '../tools/containment.js'
import { asMeant } from './as-meant.js'
import { leadsOutOfSandbox, scratchFolders, systemFolders, toolchains } from './places.js'
import { seccompFile } from './seccomp.js'

export interface Confinement {
  /** Path of the bubblewrap program. */
  bwrap: string
  /** What runs inside. */
  program: string
  argv: readonly string[]
  /** Absolute and free of symlinks, as is `cwd`, which lies in it. */
  workspace: string
  cwd: string
  /** Files and folders that are not to be seen, wherever they are. A workspace below one of them is seen all the same. */
  hidden: readonly string[]
  /** Folders that are seen, read-only, although they lie in a hidden one. */
  readable?: readonly string[]
  /** Files and folders that are there beside the workspace, wherever they lie. */
  beside?: readonly Beside[]
  /** Whether it has the machine's network, and with it what listens there. Default: none. */
  network?: boolean
  /** Folders of the service's own program: what is written there would run outside the sandbox the next time it starts. */
  programs?: readonly string[]
  /** Repositories below the workspace (their own folders, or files called `.git`), protected as the workspace's own is. */
  repositories?: readonly string[]
  /** Whether the kernel takes a filter of system calls here. */
  filters?: boolean
  /** Whether the workspace is read-only, with all that lies in it. Default: it can be written. */
  readOnly?: boolean
  /** The environment the program will get; its HOME and PATH decide what is shown. */
  env: Readonly<Record<string, string>>
}

/** `from`: what is shown there in its place. */
export interface Beside { path: string, access: 'read' | 'write', from?: string }

type Mount =
  | { kind: 'read' | 'write', from?: string }
  | { kind: 'nothing' }
  | { kind: 'empty', sealed: boolean }
  | { kind: 'link', target: string }

/** Where the command's home is when the user's own cannot be it. */
export const spareHome = '/tmp/.home'

/**
 * The command line that runs a program inside a sandbox: no network unless it is asked for, no other processes, no capabilities, no calls
 * of `seccomp.ts`; of the file system only the workspace, writable, what is named beside it, and the machine's programs, read-only.
 * `/tmp` and the home folder are private and last as long as the command. Looks at the disk, changes nothing; the environment is the
 * caller's to pass, and a session without a terminal, as runGroup makes one, since a command could type into a terminal it shares. Throws
 * ToolError when the workspace or `cwd` cannot be used inside a sandbox.
 */
export function confine (confinement: Confinement): { file: string, args: string[] } {
  const { bwrap, program, argv, workspace, cwd, env } = confinement
  const hidden = confinement.hidden.map(realPath)
  if (leadsOutOfSandbox(workspace) || hidden.includes(workspace)) {
    throw new ToolError(
      'Commands cannot be confined to this workspace: it belongs to the system or to this service. Call again with unconfined: true; the user is asked then.'
    )
  }
  if (!within(workspace, cwd)) {
    throw new ToolError(
      `${cwd} is outside the workspace, where the sandbox does not reach. Call again with unconfined: true; the user is asked then.`
    )
  }
  const homes = homeFolders(env)
  const readable = (confinement.readable ?? []).map(realPath)
  const programs = (confinement.programs ?? []).map(realPath)
  const { repositories = [], beside = [], network = false } = confinement
  const mounts = layOut({ workspace, hidden, readable, programs, repositories, homes, env })
  if (confinement.readOnly === true) seal(mounts)
  for (const { path, access, from } of beside) mounts.set(path, { kind: access, ...from === undefined ? {} : { from } })
  const names = realPath('/etc/resolv.conf')
  if (network && look(names)?.isFile() === true && !systemFolders.some((folder) => within(folder, names))) mounts.set(names, { kind: 'read' })
  const command = asMeant(...swappable(mounts, workspace, toolFolders(workspace, hidden, homes, env)), program, argv)
  const [own] = homes
  const home = own === undefined || within(workspace, own) || hidden.includes(own) ? spareHome : own
  const options = [
    // No --new-session: a sandbox whose starter is killed while it is being made would leave the group by it and live on.
    '--die-with-parent', '--unshare-all', ...network ? ['--share-net'] : [], '--cap-drop', 'ALL',
    // Run as root, a command without capabilities could still write /proc/sys, and with it name the program the kernel runs on a crash.
    '--dev', '/dev', '--proc', '/proc', '--remount-ro', '/proc',
    ...mountOptions(mounts),
    '--dir', '/run', ...(home === spareHome ? ['--dir', home] : []), '--remount-ro', '/',
    '--setenv', 'HOME', home, '--setenv', 'TMPDIR', '/tmp',
    '--chdir', cwd
  ]
  const filter = confinement.filters === true ? seccompFile() : null
  if (filter === null) return { file: bwrap, args: [...options, '--', ...command] }
  // bubblewrap reads the filter from a descriptor, which a shell opens for it.
  return { file: '/bin/sh', args: ['-c', 'exec 9<"$0" && exec "$@"', filter, bwrap, '--seccomp', '9', ...options, '--', ...command] }
}

/** Nothing of what was laid out can be written; places that are not there need no guard then, and could not be made. */
function seal (mounts: Map<string, Mount>): void {
  for (const [path, { kind }] of mounts) {
    if (kind === 'write') mounts.set(path, { kind: 'read' })
    else if ((kind === 'empty' || kind === 'nothing') && !scratchFolders.includes(path) && look(path) === null) mounts.delete(path)
  }
}

/** What of the mounts another command could swap, and what is covered there; folders of tools are none that commands write in. */
function swappable (mounts: ReadonlyMap<string, Mount>, workspace: string, tools: readonly string[]): [bound: string[], covered: string[]] {
  const inside = [...mounts].filter(([path, mount]) => within(workspace, path) && !tools.includes(path) && !('from' in mount))
  const of = (...kinds: Array<Mount['kind']>): string[] => inside.flatMap(([path, { kind }]) => kinds.includes(kind) ? [path] : [])
  return [of('read', 'write'), of('nothing', 'empty')]
}

/** The homes of the environment and of the user database, the former first; none that holds the system itself. */
export function homeFolders ({ HOME }: Readonly<Record<string, string>>): string[] {
  const named = HOME !== undefined && isAbsolute(HOME) ? [HOME] : []
  const homes = [...named, registeredHome()].map(realPath)
  return [...new Set(homes)].filter((home) => !leadsOutOfSandbox(home) && look(home)?.isDirectory() === true)
}

function registeredHome (): string {
  try {
    return userInfo().homedir
  } catch {
    return '/' // a user id without a name, as in some containers
  }
}

/** What is mounted where. For the same place the later entry wins; of nested places the inner one does. */
function layOut ({ workspace, hidden, readable, programs, repositories, homes, env }: {
  workspace: string
  hidden: string[]
  readable: string[]
  programs: string[]
  repositories: readonly string[]
  homes: string[]
  env: Readonly<Record<string, string>>
}): Map<string, Mount> {
  const mounts = new Map<string, Mount>()
  for (const folder of systemFolders) {
    const found = look(folder)
    if (found?.isSymbolicLink() === true) mounts.set(folder, { kind: 'link', target: readlinkSync(folder) })
    else if (found?.isDirectory() === true) mounts.set(folder, { kind: 'read' })
  }
  for (const folder of scratchFolders) mounts.set(folder, { kind: 'empty', sealed: false })
  mounts.set(workspace, { kind: 'write' })
  for (const home of [...homes].sort((one, other) => depth(one) - depth(other))) {
    // Of a home that is part of the workspace only a selection is shown; what would be written beside it must fail, not vanish.
    const open = within(workspace, home)
    mounts.set(home, { kind: 'empty', sealed: open })
    if (open) for (const [path, mount] of visibleEntries(home)) mounts.set(path, mount)
  }
  for (const folder of toolFolders(workspace, hidden, homes, env)) mounts.set(folder, { kind: 'read' })
  const own = homes.includes(workspace) ? [] : [realPath(join(workspace, '.git'))]
  // What lies in a home folder that is part of the workspace is seen by its visible entries alone, and mounted with them.
  const others = repositories.filter((path) => !own.includes(path) && !hidden.some((place) => within(place, path)) &&
    !homes.some((home) => path.startsWith(`${home}/.`) && within(workspace, home)))
  const guarded = [
    ...[...own, ...others].flatMap((path) => gitPrograms(workspace, path)), ...ownPrograms(workspace, programs), ...concealed(hidden),
    ...kept([...programs, ...hidden].filter((path) => within(workspace, path)))
  ]
  for (const [path, mount] of guarded.sort(outerFirst)) {
    pin(mounts, path)
    mounts.set(path, mount)
  }
  for (const folder of readable) if (look(folder)?.isDirectory() === true) mounts.set(folder, { kind: 'read' })
  return mounts
}

const depth = (path: string): number => path.split('/').length
const outerFirst = ([one]: [string, Mount], [other]: [string, Mount]): number => depth(one) - depth(other)

/** What does not begin with a dot: those are settings, credentials and start files. */
function visibleEntries (home: string): Array<[string, Mount]> {
  return readdirSync(home, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.')).flatMap((entry): Array<[string, Mount]> => {
    const path = join(home, entry.name)
    if (entry.isDirectory()) return [[path, { kind: 'write' }]]
    if (entry.isFile()) return [[path, { kind: 'read' }]]
    return entry.isSymbolicLink() ? [[path, { kind: 'link', target: readlinkSync(path) }]] : []
  })
}

/**
 * Toolchains of the home folders, what PATH names beyond the system, and the Node of the service, unless that would show more
 * than programs.
 */
export function toolFolders (workspace: string, hidden: readonly string[], homes: readonly string[], { PATH = '' }: Readonly<Record<string, string>>): string[] {
  const ownHomes = homes.filter((home) => within(workspace, home))
  const wanted = [
    ...homes.flatMap((home) => toolchains.map((name) => join(home, name))), ...PATH.split(':').filter(isAbsolute), dirname(process.execPath)
  ]
  const folders = wanted.map((path) => normalize(path).replace(/(?<=.)\/$/, '')).filter((path) => {
    const inHome = homes.some((home) => within(home, path))
    if (within(workspace, path)
      ? !ownHomes.some((home) => within(home, path))
      : !inHome && systemFolders.some((folder) => within(folder, path))) return false
    const real = realPath(path)
    return look(real)?.isDirectory() === true && !hidden.some((place) => within(place, real)) &&
      ![...homes, ...hidden, workspace].some((place) => within(real, place))
  })
  return folders.filter((path, index) => folders.indexOf(path) === index && !folders.some((other) => other !== path && within(other, path)))
}

/** Git runs what lies in hooks and what its settings name, and somebody will call git here outside the sandbox. */
function gitPrograms (workspace: string, repository: string): Array<[string, Mount]> {
  if (!within(workspace, repository)) return []
  // Of a worktree it is a file that names the repository, and could name another one.
  if (look(repository)?.isFile() === true) return [[repository, { kind: 'read' }]]
  if (look(repository)?.isDirectory() !== true) return []
  const worktrees = join(repository, 'worktrees')
  const registered = look(worktrees)?.isDirectory() === true
    ? readdirSync(worktrees).flatMap((name) => ['commondir', 'gitdir', 'config.worktree'].map((file) => join('worktrees', name, file)))
    : []
  const isLinked = look(join(repository, 'commondir')) !== null
  return ['hooks', 'commondir', 'gitdir', ...registered, 'config', 'config.worktree', 'modules'].flatMap((name): Array<[string, Mount]> => {
    const path = realPath(join(repository, name))
    if (!within(workspace, path)) return []
    if (look(path) !== null) return [[path, { kind: 'read' }]]
    // Hooks of a linked worktree are those of its repository.
    return name === 'hooks' && !isLinked ? [[path, { kind: 'empty', sealed: true }]] : []
  })
}

/** A workspace that is the program's folder as a whole is there to be worked in. */
function ownPrograms (workspace: string, programs: readonly string[]): Array<[string, Mount]> {
  const isWorkedOn = (path: string): boolean => dirname(path) === workspace && look(path)?.isFile() === true
  return programs.filter((path) => path !== workspace && within(workspace, path) && look(path) !== null && !isWorkedOn(path)).map((path) =>
    [path, { kind: 'read' }])
}

/** Settings that are not there and may not come to be: the service, or npm, would go by them at its next start. */
function kept (paths: readonly string[]): Array<[string, Mount]> {
  return paths.filter((path) => ['.env', '.npmrc'].includes(basename(path)) && look(path) === null &&
    look(dirname(path))?.isDirectory() === true).map((path) => [path, { kind: 'nothing' }])
}

function concealed (hidden: string[]): Array<[string, Mount]> {
  return hidden.flatMap((path): Array<[string, Mount]> => {
    const found = look(path)
    if (found === null) return []
    return [[path, found.isDirectory() ? { kind: 'empty', sealed: true } : { kind: 'nothing' }]]
  })
}

/** Makes the writable folders above a guarded place mount points of their own: those cannot be moved out of the way. */
function pin (mounts: Map<string, Mount>, guarded: string): void {
  const between: string[] = []
  let above = dirname(guarded)
  while (above !== '/' && !mounts.has(above)) {
    between.push(above)
    above = dirname(above)
  }
  if (mounts.get(above)?.kind !== 'write') return
  for (const folder of between) mounts.set(folder, { kind: 'write' })
}

/** Outer places first, as the inner ones are mounted into them; sealed at the end, when every mount point is made. */
function mountOptions (mounts: Map<string, Mount>): string[] {
  const inOrder = [...mounts].sort(outerFirst)
  const sealed = inOrder.filter(([, mount]) => mount.kind === 'empty' && mount.sealed)
  return [...inOrder.flatMap(mountOption), ...sealed.flatMap(([path]) => ['--remount-ro', path])]
}

function mountOption ([path, mount]: [string, Mount]): string[] {
  switch (mount.kind) {
    case 'read': return ['--ro-bind', mount.from ?? path, path]
    case 'write': return ['--bind', mount.from ?? path, path]
    case 'empty': return ['--tmpfs', path]
    case 'nothing': return ['--ro-bind', '/dev/null', path]
    case 'link': return ['--symlink', mount.target, path]
  }
}

const look = (path: string): Stats | null => tried(() => lstatSync(path), null)
