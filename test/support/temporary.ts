import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}${sep}`)

/**
 * Throws unless a path is, by its real path, in the folder for temporary files and apart from the checkout of this test: a test
 * may only update its own files.
 */
export function assertTemporary (path: string): void {
  const [real, temporary, own] = [path, tmpdir(), '.'].map((name) => realpathSync(name)) as [string, string, string]
  if (!isIn(temporary, real) || real === temporary || isIn(own, real) || isIn(real, own)) throw new Error(`A test must not update ${real}, which is not its own`)
}

/** Throws if a folder is not temporary, or a link in it leads out of it. */
export function assertSelfContained (folder: string): void {
  assertTemporary(folder)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    if (!existsSync(path) || !isIn(folder, realpathSync(path))) throw new Error(`${relative(folder, path)} leads out of the folder of the test`)
  }
}
