import { inPlainWords, StateFolderInUse, UnusableDatabase } from '../../ground/database/index.js'
import { asError } from '../../ground/errors.js'
import { neverFailToWrite } from '../../ground/output.js'

/** What a failure of the system's is about. */
const pathOf = (error: unknown): string => error instanceof Error && 'path' in error ? String(error.path) : 'The disk'

/** Runs a program that a person has called: its result in words, or what is wrong in one plain sentence and the exit code 1. */
export function told (work: () => string): void {
  neverFailToWrite()
  try {
    console.log(work())
  } catch (error) {
    const isExplained = error instanceof UnusableDatabase || error instanceof StateFolderInUse || asError(error).name === 'ConfigError'
    console.error(isExplained
      ? asError(error).message
      : inPlainWords(error, pathOf(error))?.message ?? error)
    process.exitCode = 1
  }
}
