import { inPlainWords, StateFolderInUse, UnusableDatabase } from '../../ground/database/index.js'
import { neverFailToWrite } from '../../ground/output.js'

/** Runs a program that a person has called: its result in words, or what is wrong in one plain sentence and the exit code 1. */
export function told (work: () => string): void {
  neverFailToWrite()
  try {
    console.log(work())
  } catch (error) {
    const isExplained = error instanceof UnusableDatabase || error instanceof StateFolderInUse || (error as Error).name === 'ConfigError'
    console.error(isExplained
      ? (error as Error).message
      : inPlainWords(error, (error as NodeJS.ErrnoException).path ?? 'The disk')?.message ?? error)
    process.exitCode = 1
  }
}
