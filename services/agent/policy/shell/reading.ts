import { isAbsolute } from 'node:path'
import { Budget } from '../budget.js'
import { type CommandReading } from '../findings.js'
import { type Look } from '../git/look.js'
import { Disk } from '../disk.js'
import { createFollower, type ResolvePath } from '../follow.js'
import { readCommand } from './shell.js'
import { type Lands, boundariesOf } from '../boundaries.js'

/** A command line to be read. Plain JSON, because it may be sent to another thread. */
export interface CommandOrder {
  command: string
  /** The folder in which it starts, as the model wrote it; absent = the workspace. */
  cwd?: string
  /** Whether a shell with fewer features than bash runs it. */
  isPlainShell?: boolean
  lands: Lands
}

/** Reads an order in this thread, within the budget that its length allows. */
export function readOrder (order: CommandOrder, resolvePath?: ResolvePath, look?: Look): CommandReading {
  return readCounted(order, resolvePath, look).reading
}

/** @returns the reading and the steps that it took */
export function readCounted (
  { command, cwd = '.', isPlainShell = false, lands }: CommandOrder, resolvePath?: ResolvePath, look?: Look
): { reading: CommandReading, steps: number } {
  // The number and the length of these paths do not depend on the command: they need no budget.
  const own = createFollower(new Budget(Infinity), resolvePath)
  const boundaries = boundariesOf(lands, own)
  const budget = new Budget(command.length)
  const reading = readCommand(command, {
    cwd: own(isAbsolute(cwd) ? cwd : `${lands.workspace}/${cwd}`), boundaries, disk: new Disk(budget, resolvePath),
    ...look === undefined ? {} : { look }, budget, isPlainShell
  })
  return { reading, steps: budget.spent }
}
