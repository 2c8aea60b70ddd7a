import { readFile } from 'node:fs/promises'
import { freemem, totalmem } from 'node:os'
import { join } from 'node:path'
import { type Check, type Finding, coded, ok, problem, warning } from '../check.js'
import { sizeWords } from '../texts.js'

/** Memory of a control group or of the machine, without what can be dropped at any time, and its limit. */
export interface MemoryUse { usedBytes: number, limitBytes: number, isGroup: boolean }

const [much, tooMuch] = [0.85, 0.95]
/** A service with one or two turns needs about this much. */
const leastBytes = 400 * 1024 ** 2

/** How much memory is left in the control group of this process, or on the machine. */
export function memoryCheck (read: () => Promise<MemoryUse> = memoryUse): Check {
  return { id: 'memory', group: 'service', title: 'Memory', run: async () => judge(await read()) }
}

function judge ({ usedBytes, limitBytes, isGroup }: MemoryUse): Finding {
  const values = { used: sizeWords(usedBytes), limit: sizeWords(limitBytes) }
  const words = `${values.used} of ${values.limit} are in use${isGroup ? ', the limit of its control group' : ' on this machine'}`
  const fix = isGroup
    ? 'Raise the limit, in its systemd unit or in docker-compose.yml:\nMemoryMax=2G\nmem_limit: 2g'
    : 'Stop programs that need much memory:\nps -eo pid,rss,comm --sort=-rss | head'
  if (limitBytes < leastBytes) return warning(`${words}. That is little: the system may end the service while it works.`, fix)
  const share = usedBytes / limitBytes
  if (share >= tooMuch) return problem(`${words}. The system is about to end programs.`, fix)
  const found = share >= much ? warning(`${words}.`, fix) : ok(`${words}.`)
  return coded(found, isGroup ? 'memory_use_group' : 'memory_use', values)
}

/**
 * Reads the tightest of the control groups (version 2) that a process is in, or else the machine. `proc` and `groups` are the kernel's
 * files.
 */
export async function memoryUse ({ proc = '/proc/self/cgroup', groups = '/sys/fs/cgroup' } = {}): Promise<MemoryUse> {
  const path = /^0::(\/.*)$/m.exec(await readFile(proc, 'utf8').catch(() => ''))?.[1] ?? '/'
  const parts = path.split('/').filter((part) => part !== '')
  const folders = parts.map((_, index) => join(groups, ...parts.slice(0, index + 1)))
  const found = await Promise.all([groups, ...folders].map(groupUse))
  const machine = { usedBytes: totalmem() - freemem(), limitBytes: totalmem(), isGroup: false }
  return found.flat().reduce((tightest, each) => each.limitBytes < tightest.limitBytes ? each : tightest, machine)
}

async function groupUse (folder: string): Promise<MemoryUse[]> {
  const [limit, used, stats] = await Promise.all(
    ['memory.max', 'memory.current', 'memory.stat'].map(async (name) => await readFile(join(folder, name), 'utf8').catch(() => ''))
  )
  const limitBytes = Number.parseInt(limit ?? '', 10)
  const usedBytes = Number.parseInt(used ?? '', 10)
  if (!Number.isFinite(limitBytes) || !Number.isFinite(usedBytes)) return []
  const droppable = Number(/^inactive_file (\d+)$/m.exec(stats ?? '')?.[1] ?? 0)
  return [{ usedBytes: Math.max(0, usedBytes - droppable), limitBytes, isGroup: true }]
}
