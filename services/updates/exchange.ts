import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from './journal.js'
import { stageOf, stagingFolder } from './staging.js'

const parts = ['node_modules', 'dist'] as const
/** What was in place before, until the new version has come up. */
const beforeOf = (root: string): string => join(stagingFolder(root), 'before')

/** Moves what the stage has into its place, and what was there aside. True where there was something to move. May be done again. */
export function exchange (root: string): boolean {
  const [stage, before] = [stageOf(root), beforeOf(root)]
  const made = parts.filter((name) => isOwn(join(stage, name)))
  if (made.length === 0) return false
  mkdirSync(before, { recursive: true })
  for (const name of made) {
    if (existsSync(join(root, name)) && !existsSync(join(before, name))) renameSync(join(root, name), join(before, name))
    renameSync(join(stage, name), join(root, name))
  }
  syncFolder(root)
  return true
}

/** Moves what was put aside back into its place. True where there was something to move. May be done again. */
export function exchangeBack (root: string): boolean {
  const before = beforeOf(root)
  const kept = parts.filter((name) => existsSync(join(before, name)))
  if (kept.length === 0) return false
  const failed = join(stagingFolder(root), 'failed')
  mkdirSync(failed, { recursive: true })
  for (const name of kept) {
    if (existsSync(join(root, name))) {
      rmSync(join(failed, name), { recursive: true, force: true })
      renameSync(join(root, name), join(failed, name))
    }
    renameSync(join(before, name), join(root, name))
  }
  syncFolder(root)
  return true
}

/** A link names what belongs to the installation and is only borrowed. */
function isOwn (path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false
}
