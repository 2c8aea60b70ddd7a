// Writes wire.d.ts, the types of the interface, made from its document. May be called from any folder.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { tsImport } from 'tsx/esm/api'

const document = new URL('../../docs/openapi.json', import.meta.url)
const writer = new URL('../../scripts/typescript-types.ts', import.meta.url)
const types = fileURLToPath(new URL('wire.d.ts', import.meta.url))

const hash = createHash('sha256')
for (const path of [document, writer, new URL('wire-shapes.ts', writer)]) hash.update(readFileSync(path)).update('\0')
const stamp = `// ${hash.digest('hex')}`

if (!existsSync(types) || !readFileSync(types, 'utf8').startsWith(stamp)) {
  const { typescriptTypes } = await tsImport(writer.href, import.meta.url)
  // Written to a temporary file first: a file that was cut off would be taken for complete, because it begins with its stamp.
  writeFileSync(`${types}.tmp`, `${stamp}\n${typescriptTypes(readFileSync(document, 'utf8'))}`)
  renameSync(`${types}.tmp`, types)
}
