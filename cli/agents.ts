import { readFileSync } from 'node:fs'
import { createMarks } from '../services/agent/runtime/guardian.js'
import { markVariable, readProcess } from '../services/ground/process/processes.js'
import { tried } from '../services/ground/tried.js'
import { CommandFailed } from './command.js'

const mostAncestors = 64

/**
 * Throws CommandFailed in a process that the agent of this service has started, because the agent must not decide who may use the service.
 * Like the policy, this stops a model that tries the obvious way: a command outside the sandbox could still write to the database.
 */
export function refuseToAgents (stateDir: string): void {
  if (isOfAgent(stateDir)) throw new CommandFailed('Commands of the agent may not administer the service. Run this command in your own terminal')
}

/** Whether this process, or an ancestor of it, was started by the agent of the service with this state folder. */
export function isOfAgent (stateDir: string): boolean {
  const { folder } = createMarks(stateDir)
  for (let pid = process.pid, steps = 0; pid > 1 && steps < mostAncestors; steps++) {
    if (environmentOf(pid).includes(`\0${markVariable}=${folder}`)) return true
    pid = readProcess(pid)?.parent ?? 0
  }
  return false
}

/** Returns the variables of a process, each after a zero byte; empty if they cannot be read. Of this process, it returns only the mark. */
function environmentOf (pid: number): string {
  if (pid === process.pid) return `\0${markVariable}=${process.env[markVariable] ?? ''}`
  return tried(() => `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`, '')
}
