// Writes the documents that are made from the code: docs/openapi.json, docs/config.schema.json, docs/command-line.md, the tables of errors
// in docs/interface.md, the table of audit log kinds in docs/operations.md, and the types of the Python client.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandLinePage } from '../cli/page.js'
import { configSchemaText } from '../services/areas/profiles/index.js'
import { interfaceDocument, openapiDocument, operationsDocument } from './documents.js'
import { pythonTypes } from './python-types.js'

const home = mkdtempSync(join(tmpdir(), 'documents-'))
try {
  const document = await openapiDocument(home)
  writeFileSync('docs/openapi.json', document)
  writeFileSync('clients/python/agent_web_service_client/wire.py', pythonTypes(document))
  writeFileSync('docs/config.schema.json', configSchemaText())
  writeFileSync('docs/command-line.md', commandLinePage())
  writeFileSync('docs/interface.md', interfaceDocument())
  writeFileSync('docs/operations.md', operationsDocument())
} finally {
  rmSync(home, { recursive: true, force: true })
}
