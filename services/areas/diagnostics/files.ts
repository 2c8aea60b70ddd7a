import { type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type DiagnosticsCode } from '../../../schemas/diagnostics.js'
import { commandLine } from '../../ground/command-line.js'
import { codeOf, ignoring } from '../../ground/errors.js'
import { coded, problem, type Finding } from './check.js'
import { shellPath } from './texts.js'

/** Returns null if nothing exists at the path. Throws any other error, such as EACCES. */
export const statIfThere = async (path: string): Promise<Stats | null> => await stat(path).catch(ignoring('ENOENT'))

export const isForbidden = (error: unknown): boolean => ['EACCES', 'EPERM'].includes(codeOf(error) ?? '')

/** Returns 0 if the system has no users: everyone may do everything. */
export const ownUser = (): number => process.getuid?.() ?? 0

/** For a check that is run by hand, perhaps by a user other than the service's. */
export const runAs = (user: number): string => `Run it as the user of the service:\nsudo -u '#${user}' ${commandLine('doctor')}`

/**
 * Reports a file or folder that this process may not open. `isService`: whether the service itself runs the check, and so must be able to.
 */
export async function unopenable (path: string, isService: boolean): Promise<Finding> {
  const user = ownUser()
  const nearest = await nearestVisible(path)
  const message = `${isService ? 'The service' : `User ${user}`} may not open ${path}.`
  if (nearest.owner === user) {
    return saidBy(isService, problem(message, `As the user of the service:\nchmod u+rwX ${shellPath(nearest.path)}`), 'not_openable_own', path)
  }
  return saidBy(isService, problem(message, isService ? giveTo(user, path) : runAs(nearest.owner)), 'not_openable', path)
}

/** Only what the service itself says has a code: the command line speaks English. */
const saidBy = (isService: boolean, finding: Finding, code: DiagnosticsCode, path: string): Finding =>
  isService ? coded(finding, code, { path }) : finding

/** Changes symbolic links themselves, not their targets. */
export const giveTo = (user: number, path: string): string =>
  `Give it to the user of the service:\nsudo chown -Rh ${user} ${shellPath(path)}`

/** Returns the file itself, or the first folder above it whose owner is visible. */
async function nearestVisible (path: string): Promise<{ path: string, owner: number }> {
  const stats = await stat(path).catch(() => null)
  if (stats !== null) return { path, owner: stats.uid }
  return dirname(path) === path ? { path, owner: 0 } : await nearestVisible(dirname(path))
}
