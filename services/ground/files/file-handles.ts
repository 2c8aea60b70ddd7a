import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { codeOf } from '../errors.js'

/** Whether this process can open another file. Asks the system, which takes a few microseconds. */
export function hasHandles (): boolean {
  try {
    closeSync(openSync(devNull, 'r'))
    return true
  } catch (error) {
    return !/^E[MN]FILE$/.test(codeOf(error) ?? '')
  }
}
