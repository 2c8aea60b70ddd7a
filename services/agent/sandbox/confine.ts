import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'
import { tried } from '../../ground/tried.js'
import { realPath, ToolError, within } from '../tools/containment.js'
import { asMeant } from './as-meant.js'
import { leadsOutOfSandbox, scratchFolders, systemFolders, toolchains } from './visible-folders.js'
import { seccompFile } from './seccomp.js'

export interface Confinement {
  /** Path of the bubblewrap program. */
  bwrap: string
  /** The program that runs in the sandbox. */
  program: string
  argv: readonly string[]
  /** Absolute and without symlinks, as is `cwd`, which lies in it. */
  workspace: string
  cwd: string
  /** Files and folders that are hidden, wherever they are. A workspace below one of them is still visible. */
  hidden: readonly string[]
  /** Folders that are visible, read-only, although they lie in a hidden one. */
  readable?: readonly string[]
  /** Files and folders that are visible besides the workspace, wherever they are. */
  beside?: readonly Beside[]
  /** Whether it has the machine's network, including servers on the machine. Default: no network. */
  network?: boolean
  /** Folders of the service's own program: code that is written there would run outside the sandbox at the next start. */
  programs?: readonly string[]
  /** Repositories below the workspace (their own folders, or files called `.git`), protected like the workspace's own. */
  repositories?: readonly string[]
  /** Whether the kernel accepts a filter of system calls here. */
  filters?: boolean
  /** Whether the workspace and everything in it is read-only. Default: writable. */
  readOnly?: boolean
  /** The environment the program will get; its HOME and PATH decide what is shown. */
  env: Readonly<Record<string, string>>
}

/** `from`: a path that is mounted there instead. */
export interface Beside { path: string, access: 'read' | 'write', from?: string }

type Mount =
  | { kind: 'read' | 'write', from?: string }
  | { kind: 'nothing' }
  | { kind: 'empty', sealed: boolean }
  | { kind: 'link', target: string }

/** The command's home if it cannot be the user's own. */
export const spareHome = '/tmp/.home'

/**
 * Returns the command line that runs a program in a sandbox: no network unless requested, no other processes, no capabilities, none of the
 * calls in `seccomp.ts`; of the file system only the workspace (writable), the paths in `beside`, and the machine's programs (read-only).
 * `/tmp` and the home folder are private and last as long as the command. Reads the disk and changes nothing. The caller passes the
 * environment, and starts the command in a session without a terminal, as runGroup does, because a command could type into a shared one.
 * Throws ToolError when the workspace or `cwd` cannot be used in a sandbox.
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
    // No --new-session: it takes the sandbox out of the process group, so the sandbox would survive if its starter is killed meanwhile.
    '--die-with-parent', '--unshare-all', ...network ? ['--share-net'] : [], '--cap-drop', 'ALL',
    // As root, a command without capabilities could still write /proc/sys, and so choose the program that the kernel runs on a crash.
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

/** Makes all mounts read-only. Guards of places that do not exist are removed: they are not needed, and could not be mounted. */
function seal (mounts: Map<string, Mount>): void {
  for (const [path, { kind }] of mounts) {
    if (kind === 'write') mounts.set(path, { kind: 'read' })
    else if ((kind === 'empty' || kind === 'nothing') && !scratchFolders.includes(path) && look(path) === null) mounts.delete(path)
  }
}

/** Returns the mounts that another command could swap, and the covered places; commands do not write to folders of tools. */
function swappable (mounts: ReadonlyMap<string, Mount>, workspace: string, tools: readonly string[]): [bound: string[], covered: string[]] {
  const inside = [...mounts].filter(([path, mount]) => within(workspace, path) && !tools.includes(path) && !('from' in mount))
  const of = (...kinds: Array<Mount['kind']>): string[] => inside.flatMap(([path, { kind }]) => kinds.includes(kind) ? [path] : [])
  return [of('read', 'write'), of('nothing', 'empty')]
}

/** Returns the homes of the environment and of the user database, the former first, except those that contain the system itself. */
export function homeFolders ({ HOME }: Readonly<Record<string, string>>): string[] {
  const named = HOME !== undefined && isAbsolute(HOME) ? [HOME] : []
  const homes = [...named, registeredHome()].map(realPath)
  return [...new Set(homes)].filter((home) => !leadsOutOfSandbox(home) && look(home)?.isDirectory() === true)
}

function registeredHome (): string {
  return tried(() => userInfo().homedir, '/') // a user id without a name, as in some containers
}

/** Decides what is mounted where. For the same place, the later entry wins; of nested places, the inner one does. */
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
    // If a home is part of the workspace, only some of its entries are visible; writing anything else there must fail, not vanish.
    const open = within(workspace, home)
    mounts.set(home, { kind: 'empty', sealed: open })
    if (open) for (const [path, mount] of visibleEntries(home)) mounts.set(path, mount)
  }
  for (const folder of toolFolders(workspace, hidden, homes, env)) mounts.set(folder, { kind: 'read' })
  const own = homes.includes(workspace) ? [] : [realPath(join(workspace, '.git'))]
  // In a home folder that is part of the workspace, only its visible entries are mounted, and repositories with them.
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

/** Returns the entries that do not begin with a dot: the others are settings, credentials and start files. */
function visibleEntries (home: string): Array<[string, Mount]> {
  return readdirSync(home, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.')).flatMap((entry): Array<[string, Mount]> => {
    const path = join(home, entry.name)
    if (entry.isDirectory()) return [[path, { kind: 'write' }]]
    if (entry.isFile()) return [[path, { kind: 'read' }]]
    return entry.isSymbolicLink() ? [[path, { kind: 'link', target: readlinkSync(path) }]] : []
  })
}

/**
 * Returns the toolchains of the home folders, the folders that PATH names outside the system, and the folder of the service's Node.js,
 * except those that would show more than programs.
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

/** Git runs hooks and programs that its settings name, and will at some point be called here outside the sandbox. */
function gitPrograms (workspace: string, repository: string): Array<[string, Mount]> {
  if (!within(workspace, repository)) return []
  // In a linked worktree, `.git` is a file that names the repository, and could name another one.
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

/** Protects the program's folders and files in the workspace. A workspace that is the program's folder itself may be worked on. */
function ownPrograms (workspace: string, programs: readonly string[]): Array<[string, Mount]> {
  const isWorkedOn = (path: string): boolean => dirname(path) === workspace && look(path)?.isFile() === true
  return programs.filter((path) => path !== workspace && within(workspace, path) && look(path) !== null && !isWorkedOn(path)).map((path) =>
    [path, { kind: 'read' }])
}

/** Covers settings that do not exist and must not be created: the service, or npm, would follow them at its next start. */
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

/** Makes the writable folders above a guarded place mount points of their own, because those cannot be moved away. */
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

/** Orders outer places first, because inner ones are mounted into them. Sealing comes last, when every mount point has been made. */
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
