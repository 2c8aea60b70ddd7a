import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { codeOf } from '../../ground/errors.js'
import { realPath } from '../tools/containment.js'
import { runGroup } from '../../ground/process/group.js'
import { inScratch } from '../../ground/files/scratch.js'
import { confine } from './confine.js'
import { seccompFile } from './seccomp.js'

export type SandboxStatus =
  | {
    available: true
    kind: 'bwrap'
    program: string
    version: string
    /** Whether system calls are filtered too (`seccomp.ts`); absent in reports of older hosts. */
    filters?: boolean
  }
  /** The container that the service runs in is the boundary; `program` (setpriv) keeps commands away from the service's files. */
  | { available: true, kind: 'container', program: string, version: string }
  /** `reason`: a sentence for a person, without paths. `refused`: what the kernel does not allow bubblewrap to do. */
  | { available: false, reason: string, refused?: SandboxRefusal }

/** What the policy has to know about the limits for commands. */
export interface CommandLimiting { sandboxed: boolean, limitedBy?: 'container' | undefined }

export const limitingOf = (status: SandboxStatus | null): CommandLimiting => ({
  sandboxed: status?.available === true,
  ...status?.available === true && status.kind === 'container' ? { limitedBy: 'container' } : {}
})

/** A user namespace, a mount in it, or a /proc of its own: each needs the one before. */
export type SandboxRefusal = 'namespace' | 'mount' | 'proc'

/** How commands are limited: in a sandbox of their own, or by the container that the service runs in. */
export type SandboxKind = 'bwrap' | 'container'

/** Looks for bubblewrap on PATH, and tries it with the options of real commands. Never rejects. */
export async function findSandbox ({ PATH = '', HOME = '/' }: { PATH?: string, HOME?: string }, timeoutMs = 5_000): Promise<SandboxStatus> {
  if (process.platform !== 'linux') return { available: false, reason: 'the sandbox for commands needs Linux' }
  const program = await findProgram('bwrap', PATH)
  if (program === null) return { available: false, reason: 'bubblewrap (bwrap) is not installed' }
  try {
    const filters = await tryOut(program, { PATH, HOME }, timeoutMs, seccompFile() !== null) === null && seccompFile() !== null
    const problem = filters ? null : await tryOut(program, { PATH, HOME }, timeoutMs, false)
    if (problem !== null) {
      const refused = refusedBy(problem)
      return {
        available: false, reason: `bubblewrap is installed but cannot make a sandbox here: ${problem}`, ...refused === null ? {} : { refused }
      }
    }
    const { text } = await output(program, ['--version'], PATH, timeoutMs)
    return { available: true, kind: 'bwrap', program, version: /\d+(?:\.\d+)+/.exec(text)?.[0] ?? 'unknown', filters }
  } catch (error) {
    return {
      available: false, reason: `bubblewrap is installed but cannot be tried: ${codeOf(error) ?? 'unknown error'}`
    }
  }
}

/** Returns the first program of this name in the folders of a PATH; null if there is none. */
export async function findProgram (name: string, path: string): Promise<string | null> {
  for (const folder of path.split(':').filter(isAbsolute)) {
    const program = join(folder, name)
    const usable = await access(program, constants.X_OK).then(async () => (await stat(program)).isFile()).catch(() => false)
    if (usable) return program
  }
  return null
}

/** Makes a sandbox with every feature: a workspace with a hidden folder in it. Returns what went wrong, or null. */
async function tryOut (bwrap: string, env: { PATH: string, HOME: string }, timeoutMs: number, filters: boolean): Promise<string | null> {
  return await inScratch('sandbox', async (scratch) => {
    const folder = realPath(scratch)
    const hidden = join(folder, 'hidden')
    await mkdir(hidden)
    const {
      file, args
    } = confine({ bwrap, program: '/bin/sh', argv: ['-c', 'echo works'], workspace: folder, cwd: folder, hidden: [hidden], filters, env })
    const { text, exitCode, ended } = await output(file, args, env.PATH, timeoutMs)
    if (ended === 'timeout') return `it did not answer within ${timeoutMs / 1000} seconds`
    return exitCode === 0 && text === 'works\n' ? null : inWords(text)
  })
}

/** Returns what bubblewrap was not allowed to do, according to its message; null for any other message. */
export function refusedBy (words: string): SandboxRefusal | null {
  if (/can't mount proc/i.test(words)) return 'proc'
  if (/(?:new )?namespace|uid map|setgroups|RTM_NEW/i.test(words)) return 'namespace'
  return /mount|slave|pivot_root|remount/i.test(words) && /permi/i.test(words) ? 'mount' : null
}

/** Runs a program to its end and collects what it prints, up to 10,000 characters. */
export async function output (file: string, args: string[], PATH: string, timeoutMs: number, env: Record<string, string> = {}) {
  let text = ''
  const add = (chunk: Buffer): boolean => {
    text = (text + chunk.toString('utf8')).slice(0, 10_000)
    return true
  }
  const outcome = await runGroup(file, args, {
    cwd: '/', env: { ...env, PATH }, signal: new AbortController().signal, timeoutMs, onStdout: add, onStderr: add
  })
  return { ...outcome, text }
}

/** Returns the first line that bubblewrap printed, without its name, addresses, paths and anything that is not plain text. */
function inWords (text: string): string {
  const line = text.trim().split('\n')[0]?.replace(/^.*?bwrap: /, '').replace(/\. See .*$/, '').replace(/<[^>]*>|\S*\/\S*/g, '…').replace(
    /[^\x20-\x7e…]/g, ''
  ).trim() ?? ''
  if (/RTM_NEW|loopback/.test(line)) return `it cannot give a program a network of its own (${line.slice(0, 150)})`
  return line === '' ? 'it ended without saying why' : line.slice(0, 200)
}
