import { execFileSync } from 'node:child_process'

/** Options for a test of what only the machine of the service has, or does. */
export const hereOnly: { skip?: string } = process.env.TEST_MACHINE === undefined ? {} : { skip: 'it is about the machine of the service' }

/** Options for a test that needs a program of the system: skipped by name where it is missing, but never on CI. */
export function needs (program: string): { skip?: string } {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${program}`])
    return {}
  } catch {
    return process.env.CI === 'true' ? {} : { skip: `${program} is not installed` }
  }
}
