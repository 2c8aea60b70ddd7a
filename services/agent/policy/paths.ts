import { basename, join } from 'node:path'
import { within } from '../tools/containment.js'
import { mayBeAnywhere } from './processes.js'
import { matches } from './tables/patterns.js'

export type Access = 'read' | 'write'
/** How the policy classifies an access to a path. Where null is possible: nothing has to be allowed. */
export type PathKey = 'write:workspace' | `${Access}:outside` | `${Access}:protected`

/** The places that paths are judged by: real, absolute, and without symlinks, except for `namedRoots`. */
export interface Boundaries {
  workspace: string
  /** Folders outside the workspace that may be read. */
  readable?: readonly string[]
  /** Homes of the profiles, this profile's first: configuration, keys and instructions of the agents. */
  homes: string[]
  serviceRoots: string[]
  /** Folders and files of the service's own installed code. They can be read like any other file. */
  programRoots: string[]
  /** `serviceRoots` and `programRoots` before symlinks are followed. */
  namedRoots: string[]
  /** The home folder of the user the commands run as. */
  userHome: string
}

/** Places below the user's home where programs keep credentials. Each access, reading or writing, needs permission. */
const credentials = ['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker/config.json', '.netrc', '.npmrc', '.pypirc', '.git-credentials',
  '.password-store', '.config/gh', '.config/gcloud', '.config/git/credentials', '.local/share/keyrings', '.mozilla', '.config/google-chrome', '.config/chromium']

/**
 * Folders below the user's home with programs that may run later without being asked for. All hidden files there count too: programs follow
 * their settings, so writing those decides what an allowed program does, and what it contacts.
 */
const startFiles = ['bin', 'go/bin']
/** Hidden folders there that hold no settings. */
const caches = ['.cache', '.m2/repository', '.cargo/registry', '.gradle/caches']

const systemSecrets = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/sudoers.d', '/etc/ssh', '/root/.ssh']
const systemStartFiles = [
  '/etc', '/private/etc', '/var/spool/cron', '/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin'
]

/**
 * Files in a workspace that package managers, hooks and editors follow, which then run programs or contact other hosts. `/` at the end:
 * everything below.
 */
const projectSettings = [
  '.npmrc', '.pnpmfile.cjs', '.yarnrc', '.yarnrc.yml', '.yarnrc.yaml', '.envrc', '.valgrindrc', '.pre-commit-config.yaml', 'bunfig.toml',
  'uv.toml', 'pip.conf', '.husky/', '.yarn/plugins/', '.yarn/releases/', '.cargo/config', '.cargo/config.toml', '.vscode/tasks.json',
  '.vscode/launch.json', '.vscode/settings.json', '.mvn/', 'gradle/wrapper/',
  ...['yaml', 'yml', 'toml', 'json'].flatMap((type) => ['', '-local'].flatMap((name) =>
    [`lefthook${name}.${type}`, `.lefthook${name}.${type}`]))
].map((path) => path.split('/'))

/**
 * Returns whether a path, or a pattern that may match one, is a file that allowed programs follow and that is rarely changed in passing.
 * Call it for writes only: naming such a file changes nothing.
 */
export function isProjectSetting (path: string): boolean {
  const segments = path.toLowerCase().split('/').filter(Boolean).map((segment) => mayBeNamed(segment))
  return projectSettings.some((names) => {
    const isFolder = names.at(-1) === ''
    const ends = isFolder ? segments.map((_, index) => index).slice(names.length - 1) : [segments.length]
    const length = isFolder ? names.length - 1 : names.length
    return ends.some((end) => end >= length && names.slice(0, length).every((name, index) => segments[end - length + index]?.(name)))
  })
}

/**
 * Returns a test of names: whether the segment is that name, or a pattern that may match it. Hidden names are matched only by patterns
 * that begin with a dot or a bracket. A pattern for all files, or for all of a type (`*.toml`), matches nothing here.
 */
function mayBeNamed (segment: string): (name: string) => boolean {
  if (!/[*?[(]/.test(segment)) return (name) => name === segment
  if (/^\*(?:\.\w+)?$/.test(segment)) return () => false
  const single = segment.replaceAll(/\[[!^]?\]?[^\]]*\]/g, '?')
  const shortest = single.replaceAll('*', '').length
  const isOpen = /[*(]/.test(single)
  const pattern = widened(segment).replaceAll(/[@+!*?]\(.*\)/g, '*')
  // With `dotglob`, a bracket matches the dot too.
  const isLedTo = (name: string): boolean => name.startsWith('.') ? /^[.[]/.test(segment) : !segment.startsWith('.')
  return (name) => isLedTo(name) && (isOpen || name.length === shortest) && matches(pattern, name)
}

/** Names of files with secrets, looked for below the profile's home. */
const secretName = /^(?:\.env(?:\..*)?|.*\.(?:key|pem|p12|pfx)|id_(?:rsa|dsa|ecdsa|ed25519).*|(?:auth|credentials?|tokens?|secrets?)(?:[._-].*)?)$/i

/** Files in a process's folder in /proc that show no more than a list of processes does. */
const tellable: ReadonlySet<string> = new Set([
  'status', 'stat', 'statm', 'comm', 'cmdline', 'limits', 'cgroup', 'sched', 'schedstat', 'wchan', 'oom_score', 'oom_score_adj', 'io',
  'net', 'mounts', 'mountinfo', 'mountstats'
])
const kernelMemory: ReadonlySet<string> = new Set(['kcore', 'kmsg', 'keys', 'key-users'])

/** Returns whether a path in /proc shows a process's environment, memory or files, which include the service's secrets. */
function isProcessSecret (path: string): boolean {
  const [, top, owner = '', name] = path.split('/', 4)
  if (top !== 'proc') return false
  if (!/^(?:self|thread-self|\d+)$/.test(owner)) return kernelMemory.has(owner)
  return name === undefined || !tellable.has(name)
}

/**
 * Git runs programs in hooks, and those that config names as pager, editor or filter. The folder itself is included, because writing it
 * adds or removes all of them.
 */
const gitPrograms = /(?:^|\/)\.git(?:$|\/(?:hooks|config|config\.worktree|commondir|worktrees\/[^/]+\/(?:commondir|gitdir|config\.worktree)|modules\/.*\/(?:hooks|config))(?:\/|$))/i

/** Returns whether a path is a folder in which git keeps a repository, or is below one. */
export const isInGitFolder = (path: string): boolean => /\/\.git(?:\/|$)/i.test(path)

/**
 * Judges one real path. Protected places take precedence over the workspace, so that a workspace that contains them (a home folder, for
 * example) does not open them up. A workspace that itself lies inside such a place stays usable.
 */
export function judgePath (path: string, access: Access, boundaries: Boundaries): PathKey | null {
  if (access === 'read' && boundaries.readable?.some((folder) => within(folder, path)) === true) return null
  if (isProtected(path, access, boundaries)) return `${access}:protected`
  if (!within(boundaries.workspace, path)) return `${access}:outside`
  return access === 'write' ? 'write:workspace' : null
}

const known = new WeakMap<Boundaries, { secrets: string[], startFiles: string[] }>()

/** Returns the places that are the same for every path of a decision. */
function placesOf (boundaries: Boundaries): { secrets: string[], startFiles: string[] } {
  const found = known.get(boundaries)
  if (found !== undefined) return found
  const atHome = (name: string): string => join(boundaries.userHome, name)
  const places = { secrets: [...credentials.map(atHome), ...systemSecrets], startFiles: [...startFiles.map(atHome), ...systemStartFiles] }
  known.set(boundaries, places)
  return places
}

function isProtected (path: string, access: Access, boundaries: Boundaries): boolean {
  const { workspace, homes, serviceRoots } = boundaries
  const owns = (root: string): boolean => within(root, path) && !(root !== workspace && within(root, workspace) && within(workspace, path))
  if (serviceRoots.some(owns)) return true
  const below = (places: string[]): boolean => places.some((place) => within(place, path))
  const places = placesOf(boundaries)
  if (below(places.secrets) || isProcessSecret(path)) return true
  if (homes.some(owns) && (access === 'write' || secretName.test(basename(path)))) return true
  return access === 'write' && (below(places.startFiles) || isLedToAtHome(path, boundaries) || gitPrograms.test(path))
}

/** Returns whether a path is in a hidden file or folder of the user's home, except for caches and a workspace that lies in one. */
function isLedToAtHome (path: string, { userHome, workspace }: Boundaries): boolean {
  const name = within(userHome, path) ? path.slice(userHome.length).split('/').find(Boolean) ?? '' : ''
  if (!name.startsWith('.') || caches.some((cache) => within(join(userHome, cache), path))) return false
  return !(within(join(userHome, name), workspace) && within(workspace, path))
}

/**
 * Whether a path can be touched in a sandbox (`inside`) or only outside one (`beyond`). A confined command has the workspace, without the
 * files in it that run by themselves, a /tmp of its own, and the system's own folders to read.
 */
export type Place = 'inside' | 'beyond'

const visible = ['/tmp', '/var/tmp', '/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt']

export function placeOf (path: string, key: PathKey): Place {
  if (key === 'write:workspace') return 'inside'
  const folders = key === 'read:outside' ? visible : key === 'write:outside' ? visible.slice(0, 2) : []
  return folders.some((folder) => within(folder, path)) ? 'inside' : 'beyond'
}

/** Returns whether a search of everything below `folder` would find protected files that are not in a hidden folder. */
export function reachesProtected (folder: string, { serviceRoots, homes }: Boundaries): boolean {
  const visible = (root: string): boolean =>
    within(folder, root) && !root.slice(folder.length).split('/').some((segment) => segment.startsWith('.'))
  return [...serviceRoots, ...homes, ...systemSecrets, '/proc'].some(visible)
}

/** Returns whether protected places, including hidden ones, may lie below `folder`: a program that reads all of it finds them. */
export function holdsProtected (folder: string, boundaries: Boundaries): boolean {
  const segments = /[*?[]/.test(folder) ? folder.split('/').map(segmentPattern) : null
  return [...boundaries.serviceRoots, ...boundaries.homes, '/proc', ...placesOf(boundaries).secrets].some((root) => segments === null
    ? within(folder, root)
    : root.split('/').every((name, index) => segments[index]?.(name) ?? true))
}

/** Returns whether a path with wildcards may match a protected place; below /proc, every one may. */
export function mayMeanProtected (pattern: string, access: Access, boundaries: Boundaries): boolean {
  if (access === 'write' && (/\/\.git\/[^/]*[*?[\0]/i.test(pattern) || pattern.split('/').some(mayBeGitFolder))) return true
  const names = pattern.split('/')
  const segments = names.map(segmentPattern)
  if (segments.length > 2 && segments[1]?.('proc') === true) return true
  const isBelow = (root: string): boolean => {
    const parts = root.split('/')
    return parts.length <= segments.length && parts.every((name, index) => segments[index]?.(name))
  }
  const { secrets, startFiles } = placesOf(boundaries)
  if ([...boundaries.serviceRoots, ...boundaries.homes, ...secrets].some(isBelow)) return true
  // A hidden name that is written out, in a home folder that is written out, is judged by that name elsewhere.
  const own = boundaries.userHome.split('/').length
  const isOpen = /[*?[\0]/.test(names.slice(0, own + 1).join('/'))
  return access === 'write' && (startFiles.some(isBelow) || (isOpen && isBelow(boundaries.userHome) && /^[.\0]/.test(names[own] ?? '')))
}

const mayBeGitFolder = (segment: string): boolean => /[*?[(]/.test(segment) && mayBeNamed(segment.toLowerCase())('.git')

function segmentPattern (segment: string): (name: string) => boolean {
  const wild = segment.search(/[*?[\0]/)
  // The part before the first wildcard decides; the rest may match anything.
  if (wild === -1) return (name) => name === segment
  if (wild === 0) return (name) => !name.startsWith('.') || segment.startsWith('[') || segment.startsWith('\0')
  return (name) => name.startsWith(segment.slice(0, wild))
}

const systemFolders = new Set(['/', '/bin', '/boot', '/dev', '/etc', '/home', '/lib', '/lib32', '/lib64', '/media', '/mnt', '/opt', '/proc', '/root', '/run', '/sbin',
  '/srv', '/sys', '/usr', '/usr/bin', '/usr/lib', '/usr/local', '/usr/sbin', '/usr/share', '/var', '/var/lib', '/var/log',
  '/Applications', '/Library', '/System', '/Users', '/private', '/Volumes'])

/** Returns whether removing this folder, or everything in it, would wreck the machine, a user's home or the service. */
export function isVital (path: string, { homes, serviceRoots, userHome }: Boundaries): boolean {
  if (systemFolders.has(path) || mayBeAnywhere(path) || /^\/(?:home|Users)\/[^/]+$/.test(path)) return true
  return [...homes, userHome, ...serviceRoots].some((root) => within(path, root))
}

/**
 * Returns whether a path, perhaps with wildcards, may be one of the service's own files, which no agent may change.
 *
 * @param all whether everything below the path is meant too, so that a folder that contains them counts
 */
export function isOfService (
  path: string, all: boolean,
  { workspace, serviceRoots, programRoots, namedRoots }: Pick<Boundaries, 'workspace' | 'serviceRoots' | 'programRoots' | 'namedRoots'>
): boolean {
  // The part after an unknown one cannot be judged here; permission is asked for because of it.
  const hole = path.indexOf('\0')
  if (hole !== -1) {
    return isOfService(path.slice(0, Math.max(1, path.lastIndexOf('/', hole))), false, {
      workspace, serviceRoots, programRoots, namedRoots
    })
  }
  const wild = path.search(/[*?[]/)
  return [...serviceRoots, ...programRoots, ...namedRoots].some((root) => {
    // An agent may work on the copy of the program that the service runs from.
    if ((root !== workspace || programRoots.includes(root)) && within(root, workspace) && within(workspace, path)) return false
    if (wild === -1) return within(root, path) || (all && within(path, root))
    const segments = path.split('/').map(segmentPattern)
    const names = root.split('/')
    return (all || segments.length >= names.length) &&
      segments.slice(0, names.length).every((matches, index) => matches(names[index] ?? ''))
  })
}

/**
 * Like isOfService, for a path that is given to a program whose use of it is unknown. A pattern for everything in the workspace does not
 * count as naming the service's files there.
 */
export function mayBeOwn (path: string, boundaries: Boundaries): boolean {
  const wild = path.search(/[*?[]/)
  if (wild === -1 || path.includes('\0')) return isOfService(path, false, boundaries)
  const start = path.slice(0, path.lastIndexOf('/', wild)) || '/'
  if (isOfService(start, false, boundaries)) return true
  if (within(boundaries.workspace, start) || !isOfService(path, false, boundaries)) return false
  const segments = path.split('/').map(widened)
  return [...boundaries.serviceRoots, ...boundaries.programRoots, ...boundaries.namedRoots].some((root) =>
    root.split('/').every((name, index) =>
      matches(segments[index] ?? '', name) && !(name.startsWith('.') && segments[index]?.startsWith('*') === true)))
}

/** Returns whether a path with wildcards may match a vital folder. Every wildcard stands for any number of characters. */
export function meansVital (pattern: string, { homes, serviceRoots, userHome }: Boundaries): boolean {
  if (!/[*?[]/.test(pattern)) return false
  const segments = pattern.split('/').map(widened)
  return [...systemFolders, ...homes, userHome, ...serviceRoots].some((folder) => {
    const names = folder.split('/')
    return names.length === segments.length &&
      names.every((name, index) => matches(segments[index] ?? '', name) && !(name.startsWith('.') && segments[index]?.startsWith('*')))
  })
}

/** Replaces each `?`, and everything from the first bracket to the last, by a `*`. */
function widened (segment: string): string {
  const open = segment.indexOf('[')
  const close = segment.lastIndexOf(']')
  const plain = open === -1 || close < open ? segment : `${segment.slice(0, open)}*${segment.slice(close + 1)}`
  return plain.replaceAll('?', '*')
}

/** Returns whether a path is a disk, a partition or the like: writing there destroys file systems. */
export const isBlockDevice = (path: string): boolean =>
  /^\/dev\/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|loop\d|dm-\d|md\d|sr\d|nbd\d|mapper\/|disk\/|block\/|mem$|kmem$|port$)/.test(path) ||
  path === '/proc/sysrq-trigger'

/** Returns whether a path is a device that every program may use. */
export const isHarmlessDevice = (path: string): boolean =>
  /^\/dev\/(?:null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd(?:\/\d+)?|shm)$/.test(path)

/** Returns whether a path stands for an open file or a pipe, whose content another program may write. */
export const isInputDevice = (path: string): boolean => /^(?:\/dev\/(?:stdin|fd\/)|\/proc\/(?:self|thread-self|\d+)\/fd\/)/.test(path)
