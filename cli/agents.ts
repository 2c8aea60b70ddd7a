import { readFileSync } from 'node:fs'
import { createMarks } from '../services/agent/runtime/guardian.js'
import { markVariable, readProcess } from '../services/ground/process/processes.js'
import { tried } from '../services/ground/tried.js'
import { CommandFailed } from './command.js'

const mostAncestors = 64

/**
 * Throws CommandFailed in a process that the agent of this service has started: who may use the service is not the agent's to change. Like
 * the policy, this keeps a model from doing it by the way; commands outside the sandbox could write the database itself.
 */
export function refuseToAgents (stateDir: string): void {
  if (isOfAgent(stateDir)) throw new CommandFailed('Commands of the agent may not administer the service. Run this in a terminal of your own')
}

/** Whether the agent of the service of this folder has started this process, or one that has. */
export function isOfAgent (stateDir: string): boolean {
  const { folder } = createMarks(stateDir)
  for (let pid = process.pid, steps = 0; pid > 1 && steps < mostAncestors; steps++) {
    if (environmentOf(pid).includes(`\0${markVariable}=${folder}`)) return true
    pid = readProcess(pid)?.parent ?? 0
  }
  return false
}

/** Each variable begins with a zero; empty where it cannot be read, such as of another user's process. */
function environmentOf (pid: number): string {
  if (pid === process.pid) return `\0${markVariable}=${process.env[markVariable] ?? ''}`
  return tried(() => `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`, '')
}
