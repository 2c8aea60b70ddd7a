import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf } from '../../ground/errors.js'
import { inContainer } from '../../ground/process/container.js'
import { inScratch } from '../../ground/files/scratch.js'
import { realPath, within } from '../tools/containment.js'
import { findProgram, output, type SandboxStatus } from './find-sandbox.js'
import { inTheContainer, namingVariable } from './landlock.js'
import { scratchFolders } from './visible-folders.js'
import { seccompProgram } from './seccomp.js'

export interface BoundaryOptions { timeoutMs?: number, isContainer?: boolean, user?: number, temporary?: string }

/** Exits with 0 if a command in the container reaches nothing that belongs to the service: `$1` is its process, `$2` a secret file. */
const probe = `echo works >"$0/written" || exit 10
if cat "$2" || { echo >>"$2"; } || ls "\${2%/*}"; then exit 11; fi
if cat "/proc/$1/environ" || cat "/proc/$1/maps" || readlink "/proc/$1/fd/1"; then exit 12; fi
kill -USR1 "$1" && exit 13
exit 0`
const failures: Record<number, string> = {
  10: 'a command cannot write in its workspace', 11: 'a command reads or changes the service\'s files',
  12: 'a command reads the memory or environment of the service', 13: 'a command can open the debugger of the service'
}

/**
 * Finds out whether the container can be the boundary for commands: whether the service runs in one, and its kernel keeps commands, which
 * run as the service's user, away from the service's files and processes. Tries it with the options of real commands. Never rejects.
 */
export async function findContainerBoundary ({ PATH = '', HOME = '/' }: { PATH?: string, HOME?: string }, {
  timeoutMs = 5_000, isContainer = inContainer(), user = process.getuid?.() ?? 0, temporary = tmpdir()
}: BoundaryOptions = {}): Promise<SandboxStatus> {
  const no = (reason: string): SandboxStatus => ({ available: false, reason: `the container cannot be the boundary: ${reason}` })
  if (!isContainer) return no('the service does not run in one')
  if (user === 0) return no('the service runs as root in it')
  if (scratchFolders.some((folder) => within(folder, realPath(temporary)))) {
    return no('the service keeps its temporary files where commands write; set TMPDIR to a folder of its own')
  }
  if (seccompProgram(process.arch, 'container') === null) return no('there is no filter of system calls for this processor')
  const setpriv = await findProgram('setpriv', PATH)
  if (setpriv === null) return no('setpriv is not installed')
  try {
    const { text } = await output(setpriv, ['--version'], PATH, timeoutMs)
    const problem = await tryOut(setpriv, { PATH, HOME }, timeoutMs)
    return problem === null
      ? { available: true, kind: 'container', program: setpriv, version: /\d+(?:\.\d+)+/.exec(text)?.[0] ?? 'unknown' }
      : no(problem)
  } catch (error) {
    return no(`setpriv cannot be tried (${codeOf(error) ?? 'unknown error'})`)
  }
}

/** Returns what went wrong, or null. */
async function tryOut (setpriv: string, env: { PATH: string, HOME: string }, timeoutMs: number): Promise<string | null> {
  return await inScratch('sandbox', async (scratch) => {
    const folder = realPath(scratch)
    const [workspace, hidden] = [join(folder, 'workspace'), join(folder, 'hidden')]
    await Promise.all([mkdir(workspace), mkdir(hidden)])
    const secret = join(hidden, 'secret')
    await writeFile(secret, 'secret', { mode: 0o600 })
    const { file, args, release } = inTheContainer({
      setpriv, program: '/bin/sh', argv: ['-c', probe, workspace, String(process.pid), secret], workspace, cwd: workspace, hidden: [hidden], env
    })
    const { text, exitCode, ended } = await output(file, args, env.PATH, timeoutMs, { [namingVariable]: '1' }).finally(release)
    if (ended === 'timeout') return `setpriv did not answer within ${timeoutMs / 1000} seconds`
    if (exitCode === 0) return null
    return /unrecognized option|landlock-access/i.test(text)
      ? 'setpriv is older than 2.41 and knows no Landlock'
      : /landlock/i.test(text)
        ? 'the kernel has no Landlock of version 3 (Linux 6.2), or the container\'s seccomp profile does not let it be used'
        : failures[exitCode ?? 0] ?? 'a command could not be started'
  })
}
