import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes SHA256SUMS for the files in a folder, in the format of `sha256sum --check`. */
export function writeChecksums (folder) {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).map(({ name }) => name).toSorted()
  const lines = files.map((name) => `${createHash('sha256').update(readFileSync(join(folder, name))).digest('hex')}  ${name}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}
