import { readlinkSync, rmSync, type Stats } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf } from '../errors.js'
import { tried } from '../tried.js'

/** The parts of the service that keep files for a moment in the machine's temporary folder. */
export type ScratchKind = 'agent' | 'doctor' | 'filter' | 'git' | 'sandbox'

/** Kind, PID namespace and process id. The last two are missing in names from earlier versions. */
const form = /^agent-(?:agent|doctor|filter|git|sandbox)-(?:(\d+)-(\d+)-)?\w{6}$/
/** If it cannot be told from here whether the folder's process still runs, the folder counts as abandoned after this time. */
const abandonedAfterMs = 3_600_000

/** Returns the prefix for `mkdtemp`. The name identifies the process, so that folders left by a killed process are recognised. */
export const scratchPrefix = (kind: ScratchKind): string => join(tmpdir(), `agent-${kind}-${numbersSpace()}-${process.pid}-`)

const inUse = new Set<string>()
const removeAll = (): void => { for (const folder of inUse) rmSync(folder, { recursive: true, force: true }) }

/**
 * Runs `work` with a folder of its own and removes the folder afterwards. A process that exits meanwhile removes it too, unless it is
 * killed.
 */
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

/** Whether an entry of the temporary folder is a scratch folder that no process uses any more. */
export function isAbandonedScratch (name: string, { ctimeMs }: Pick<Stats, 'ctimeMs'>, nowMs: number): boolean {
  const found = form.exec(name)
  if (found === null) return false
  const [, space, pid] = found
  if (space !== numbersSpace()) return ctimeMs < nowMs - abandonedAfterMs
  return Number(pid) === process.pid ? ctimeMs < performance.timeOrigin : !isAlive(Number(pid))
}

/** Containers that share a temporary folder do not share process ids, so the PID namespace is a part of the name. */
const numbersSpace = (): string => tried(() => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0', '0')

function isAlive (pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}
