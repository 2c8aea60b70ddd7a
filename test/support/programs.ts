import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Options for a test about something that only the machine of the service has, or does. */
export const hereOnly: { skip?: string } = process.env.TEST_MACHINE === undefined ? {} : { skip: 'it is about the machine of the service' }

/** Returns options for a test that needs a program of the system: skipped by name if it is missing, but never on CI. */
export function needs (program: string): { skip?: string } {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${program}`])
    return {}
  } catch {
    return process.env.CI === 'true' ? {} : { skip: `${program} is not installed` }
  }
}

/** Returns the processes of this machine whose command line contains this text. */
export const pidsWith = (text: string): string[] => readdirSync('/proc').filter((name) => {
  try {
    return /^\d+$/.test(name) && readFileSync(join('/proc', name, 'cmdline'), 'utf8').includes(text)
  } catch {
    return false
  }
})
