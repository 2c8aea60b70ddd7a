import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { attemptFolder, stageOf, type Attempt } from './attempt.js'
import { syncFolder } from './journal.js'

const parts = ['node_modules', 'dist'] as const
/** What was in place before, until the new version has come up. */
const beforeOf = (attempt: Attempt): string => join(attemptFolder(attempt), 'before')

/** What is of no use, until the attempt is cleared. */
const failedOf = (attempt: Attempt): string => join(attemptFolder(attempt), 'failed')

/** Moves what the stage has into its place, and what was there aside. True where there was something to move. May be done again. */
export function exchange (attempt: Attempt): boolean {
  const { root } = attempt
  const [stage, before] = [stageOf(attempt), beforeOf(attempt)]
  const made = parts.filter((name) => isOwn(join(stage, name)))
  if (made.length === 0) return false
  mkdirSync(before, { recursive: true })
  for (const name of made) {
    // Where it was cut off, somebody may have built or installed since.
    if (existsSync(join(root, name))) putAside(join(root, name), join(existsSync(join(before, name)) ? failedOf(attempt) : before, name))
    renameSync(join(stage, name), join(root, name))
  }
  syncFolder(root)
  return true
}

/** Moves what was put aside back into its place. True where there was something to move. May be done again. */
export function exchangeBack (attempt: Attempt): boolean {
  const { root } = attempt
  const before = beforeOf(attempt)
  const kept = parts.filter((name) => existsSync(join(before, name)))
  if (kept.length === 0) return false
  for (const name of kept) {
    if (existsSync(join(root, name))) putAside(join(root, name), join(failedOf(attempt), name))
    renameSync(join(before, name), join(root, name))
  }
  syncFolder(root)
  return true
}

function putAside (path: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  rmSync(to, { recursive: true, force: true })
  renameSync(path, to)
}

/** A link names what belongs to the installation and is only borrowed. */
function isOwn (path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false
}
