import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * Creates a folder in the system's folder for temporary files, and returns its real path; it is removed with its contents
 * when the test ends.
 */
export function temporaryFolder (t: { teardown (callback: () => unknown): unknown }, name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Writes a file, and the folders that it is in. */
export function put (path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
