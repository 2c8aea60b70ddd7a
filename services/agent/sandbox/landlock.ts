import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../ground/tried.js'
import { realPath, ToolError, within } from '../tools/containment.js'
import { homeFolders, spareHome, toolFolders, type Beside, type Confinement } from './confine.js'
import { O_PATH } from './open-flags.js'
import { leadsOutOfSandbox, scratchFolders, systemFolders } from './visible-folders.js'
import { seccompFile } from './seccomp.js'

/** `setpriv`: path of that program, which is part of util-linux. */
export interface ContainerLimits extends Pick<Confinement, 'program' | 'argv' | 'workspace' | 'cwd' | 'hidden' | 'readable' | 'programs' | 'readOnly' | 'env'> {
  setpriv: string
  /** Files and folders besides the workspace that it may read or write. If set, its home is the user's own. */
  beside?: ReadonlyArray<Omit<Beside, 'from'>>
}

const reads = 'execute,read-file,read-dir'
const writes = `${reads},write-file,truncate,remove-dir,remove-file,make-dir,make-reg,make-sock,make-fifo,make-sym,refer`
/** A Landlock rule for a file must not contain rights that only apply to folders. */
const readsFile = 'execute,read-file'
const writesFile = `${readsFile},write-file,truncate`

/** Variable with the number that identifies a command; see `namingScript`. */
export const namingVariable = 'AGENT_COMMAND_NUMBER'
/**
 * Sets a resource limit that has no effect, and that neither the command nor any process it starts can change. It identifies processes that
 * have left the group, the session and the environment of a command. dash and bash have different letters for it.
 */
const namingScript = `ulimit -w "$${namingVariable}" 2>/dev/null || ulimit -x "$${namingVariable}" || exit 125
export TMPDIR=/tmp
exec "$0" "$@"`
const spareHomeScript = `export HOME=${spareHome}
mkdir -p "$HOME"
${namingScript}`

/**
 * Returns the command line that runs a program if the container is the boundary: it has the container's network and processes. It can write
 * the workspace, /tmp and /dev, and read programs and their settings. Landlock keeps it away from all other files, from the memory and
 * environment of other processes, and from tracing them. Calls in `seccomp.ts` are refused. Call `release` when the program has ended.
 * Throws ToolError when the workspace or `cwd` cannot be used like this.
 */
export function inTheContainer (limits: ContainerLimits): { file: string, args: string[], release: () => void } {
  const { setpriv, program, argv, workspace, cwd, env, beside, readOnly = false } = limits
  const hidden = limits.hidden.map(realPath).filter((path) => look(path)?.isSocket() !== true)
  const own = [...hidden, ...(limits.programs ?? []).map(realPath)]
  if (leadsOutOfSandbox(workspace) || own.some((path) => within(workspace, path) && look(path) !== null)) {
    throw new ToolError(
      'The container cannot limit commands to this workspace: it holds files of the system or of this service. Call again with unconfined: true; the user is asked then.'
    )
  }
  if (!within(workspace, cwd)) {
    throw new ToolError(`${cwd} is outside the workspace. Call again with unconfined: true; the user is asked then.`)
  }
  const filter = seccompFile('container')
  if (filter === null) throw new ToolError('There is no filter of system calls for this processor. The command was not run.')
  const homes = homeFolders(env)
  const shown = [
    ...systemFolders, ...toolFolders(workspace, hidden, homes, env), ...(limits.readable ?? [])
  ].map(realPath).filter((path) => !within(workspace, path))
  const held = hold(workspace)
  const rules = [
    ...[...new Set(shown)].flatMap((folder) => around(folder, hidden)).map(([path, isFolder]) => rule(isFolder ? reads : readsFile, path)),
    rule('read-file,read-dir', '/proc'), rule('read-file,write-file,read-dir', '/dev'), rule('read-file', filter),
    // A rule for a writable folder opens everything in it.
    ...[...scratchFolders, '/dev/shm'].filter((path) => look(path)?.isDirectory() === true && !(readOnly && within(path, workspace)))
      .map((path) => rule(writes, path)),
    ...(beside ?? []).flatMap(({ path, access }) => {
      const found = look(realPath(path))
      if (found === null) return []
      if (found.isDirectory()) return [rule(access === 'write' ? writes : reads, realPath(path))]
      return [rule(access === 'write' ? writesFile : readsFile, realPath(path))]
    }),
    // The rule uses the held folder, because its name could lead elsewhere by now.
    rule(readOnly ? reads : writes, `/proc/${process.pid}/fd/${held}`)
  ]
  return {
    file: '/bin/sh',
    args: [
      '-c', beside === undefined ? spareHomeScript : namingScript, setpriv, '--no-new-privs', '--landlock-access', 'fs', ...rules, '--seccomp-filter', filter, '--', program, ...argv
    ],
    release: () => closeSync(held)
  }
}

const rule = (access: string, path: string): string => `--landlock-rule=path-beneath:${access}:${path}`

/** Opens a handle to the folder that has this real path. Throws ToolError when another command has replaced it. */
function hold (folder: string): number {
  const held = openSync(folder, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  if (readlinkSync(`/proc/self/fd/${held}`) === folder) return held
  closeSync(held)
  throw new ToolError('The workspace changed while the command was started, so it was not run. Try again.')
}

/** Returns the paths to open so that all of `folder` is visible except `closed`: Landlock cannot exclude parts of an opened folder. */
function around (folder: string, closed: readonly string[]): Array<[path: string, isFolder: boolean]> {
  if (closed.some((path) => within(path, folder))) return []
  const isFolder = look(folder)?.isDirectory()
  if (isFolder === undefined) return []
  if (!closed.some((path) => within(folder, path))) return [[folder, isFolder]]
  return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() || entry.isFile())
    .flatMap(({ name }) => around(join(folder, name), closed))
}

const look = (path: string): Stats | null => tried(() => lstatSync(path), null)
