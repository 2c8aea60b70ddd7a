// Writes what is made from the code: docs/openapi.json, docs/config.schema.json, docs/command-line.md, the tables of errors in
// docs/interface.md, and that of the kinds of the audit log in docs/operations.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandLinePage } from '../cli/page.js'
import { configSchemaText } from '../services/areas/profiles/index.js'
import { interfaceDocument, openapiDocument, operationsDocument } from './documents.js'

const home = mkdtempSync(join(tmpdir(), 'documents-'))
try {
  writeFileSync('docs/openapi.json', await openapiDocument(home))
  writeFileSync('docs/config.schema.json', configSchemaText())
  writeFileSync('docs/command-line.md', commandLinePage())
  writeFileSync('docs/interface.md', interfaceDocument())
  writeFileSync('docs/operations.md', operationsDocument())
} finally {
  rmSync(home, { recursive: true, force: true })
}
