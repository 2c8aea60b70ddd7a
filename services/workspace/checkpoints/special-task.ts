import { type Dirent, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { within } from '../../ground/files/containment.js'
import { tried } from '../../ground/tried.js'

declare module '../../ground/workers/index.js' {
  interface Tasks { findSpecial: typeof findSpecial }
}

export interface SpecialInput {
  /** Absolute. */
  top: string
  /** Places (absolute) that are skipped. */
  closed: readonly string[]
}

const rules = new Set(['.gitignore', '.gitattributes'])
/** Files that git opens in each repository that it finds. */
const ofRepository = ['HEAD', 'commondir']
const mostFolders = 200_000

/**
 * Returns a file that git would open while walking through a folder and that is a pipe or a device, which may block for ever;
 * null if there is none. Opens no such file itself. Runs in a worker thread.
 */
export function findSpecial ({ top, closed }: SpecialInput): string | null {
  const waiting = [top]
  for (let count = 0, folder = waiting.pop(); folder !== undefined && count < mostFolders; count++, folder = waiting.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.name === '.git') {
        const special = entry.isDirectory()
          ? ofRepository.map((name) => join(path, name)).find((file) => isSpecial(statSync, file))
          : undefined
        if (special !== undefined) return special
      } else if (rules.has(entry.name)) {
        if (isSpecial(lstatSync, path)) return path // git follows no symlink to them
      } else if (entry.isDirectory() && !closed.some((place) => within(place, path))) {
        waiting.push(path)
      }
    }
  }
  return null
}

function entriesOf (folder: string): Dirent[] {
  return tried(() => readdirSync(folder, { withFileTypes: true }), []) // it is gone, or we may not read it
}

function isSpecial (look: typeof lstatSync | typeof statSync, path: string): boolean {
  try {
    const entry = look(path)
    return entry !== undefined && !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink()
  } catch {
    return false
  }
}
