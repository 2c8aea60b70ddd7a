import { readlinkSync, rmSync, type Stats } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf } from './errors.js'
import { tried } from './tried.js'

/** What work of the service keeps for a moment in the machine's temporary folder. */
export type ScratchKind = 'agent' | 'doctor' | 'filter' | 'git' | 'sandbox'

/** Kind, where the process's number counts, and the number; both are missing in names of earlier versions. */
const form = /^agent-(?:agent|doctor|filter|git|sandbox)-(?:(\d+)-(\d+)-)?\w{6}$/
/** Whether its process is at work cannot be told from here: it is nobody's after so long. */
const abandonedAfterMs = 3_600_000

/** For `mkdtemp`: the folder says whose it is, so that what a killed process has left is known. */
export const scratchPrefix = (kind: ScratchKind): string => join(tmpdir(), `agent-${kind}-${numbersSpace()}-${process.pid}-`)

const inUse = new Set<string>()
const removeAll = (): void => { for (const folder of inUse) rmSync(folder, { recursive: true, force: true }) }

/** Runs `work` with a folder of its own, which is gone afterwards. A process that ends meanwhile removes it, unless it is killed. */
export async function inScratch<T> (kind: ScratchKind, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(scratchPrefix(kind))
  if (inUse.size === 0) process.once('exit', removeAll)
  inUse.add(folder)
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    inUse.delete(folder)
    if (inUse.size === 0) process.off('exit', removeAll)
  }
}

/** Whether an entry of the temporary folder is a scratch folder that nobody works with any more. */
export function isAbandonedScratch (name: string, { ctimeMs }: Pick<Stats, 'ctimeMs'>, nowMs: number): boolean {
  const found = form.exec(name)
  if (found === null) return false
  const [, space, pid] = found
  if (space !== numbersSpace()) return ctimeMs < nowMs - abandonedAfterMs
  return Number(pid) === process.pid ? ctimeMs < performance.timeOrigin : !isAlive(Number(pid))
}

/** Containers that share a temporary folder do not share the numbers of processes. */
const numbersSpace = (): string => tried(() => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0', '0')

function isAlive (pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}
