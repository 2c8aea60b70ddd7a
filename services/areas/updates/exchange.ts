import { existsSync, linkSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { heldFile, lockFile } from '../../ground/database/index.js'
import { syncNow } from '../../ground/files/sync.js'
import { attemptFolder, stageOf, type Attempt } from './update-attempt.js'

const parts = ['node_modules', 'dist'] as const
/** The previous parts, kept until the new version has come up. */
const beforeOf = (attempt: Attempt): string => join(attemptFolder(attempt), 'before')

/** Parts that are no longer needed, until the attempt is cleared. */
const failedOf = (attempt: Attempt): string => join(attemptFolder(attempt), 'failed')

/**
 * Moves the parts of the stage into place, and the previous ones into the attempt's folder. Returns whether there was anything to move. May
 * be repeated.
 */
export function exchange (attempt: Attempt): boolean {
  const { root } = attempt
  const [stage, before] = [stageOf(attempt), beforeOf(attempt)]
  const made = parts.filter((name) => isOwn(join(stage, name)))
  if (made.length === 0) return false
  mkdirSync(before, { recursive: true })
  if (made.includes('dist')) takeAlong(join(root, 'dist', 'builds'), join(stage, 'dist', 'builds'))
  for (const name of made) {
    // After an interruption, a person may have built or installed something since.
    if (existsSync(join(root, name))) moveOver(join(root, name), join(existsSync(join(before, name)) ? failedOf(attempt) : before, name))
    renameSync(join(stage, name), join(root, name))
  }
  syncNow(root)
  return true
}

/** Moves the previous parts back into place. Returns whether there was anything to move. May be repeated. */
export function exchangeBack (attempt: Attempt): boolean {
  const { root } = attempt
  const before = beforeOf(attempt)
  const kept = parts.filter((name) => existsSync(join(before, name)))
  if (kept.length === 0) return false
  for (const name of kept) {
    if (existsSync(join(root, name))) moveOver(join(root, name), join(failedOf(attempt), name))
    renameSync(join(before, name), join(root, name))
  }
  syncNow(root)
  return true
}

/**
 * Builds that other services run stay where those find modules which they have not loaded yet. The previous parts keep them too: the files
 * are hard links.
 */
function takeAlong (from: string, to: string): void {
  if (!existsSync(from) || !existsSync(to)) return
  for (const name of readdirSync(from).filter((name) => !existsSync(join(to, name)) && existsSync(join(from, name, heldFile)))) {
    const unlock = lockFile(join(from, name, heldFile))
    if (unlock === null) linkFiles(join(from, name), join(to, name))
    else unlock()
  }
}

function linkFiles (from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkFiles(source, target)
    else if (entry.isFile()) linkSync(source, target)
  }
}

/** Moves a part to a place, and removes what is there. */
function moveOver (path: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  rmSync(to, { recursive: true, force: true })
  renameSync(path, to)
}

/** A link points to a part of the installation, which the stage only borrows. */
function isOwn (path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false
}
