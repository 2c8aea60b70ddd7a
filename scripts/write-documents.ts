// Writes what is made from the code: docs/openapi.json, docs/config.schema.json, the tables of errors in docs/interface.md, and that of the
// kinds of the audit log in docs/operations.md. With --released, for a release, the present interface is what later ones must not break:
// docs/openapi-released.json. The types of the Python client are made from the document as well.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configSchemaText } from '../services/areas/profiles/index.js'
import { interfaceDocument, openapiDocument, operationsDocument, promises } from './documents.js'
import { pythonTypes } from './python-types.js'

const home = mkdtempSync(join(tmpdir(), 'documents-'))
try {
  const document = await openapiDocument(home)
  writeFileSync('docs/openapi.json', document)
  writeFileSync('clients/python/agent_web_service_client/wire.py', pythonTypes(document))
  if (process.argv.includes('--released')) writeFileSync('docs/openapi-released.json', promises(document))
  writeFileSync('docs/config.schema.json', configSchemaText())
  writeFileSync('docs/interface.md', interfaceDocument())
  writeFileSync('docs/operations.md', operationsDocument())
} finally {
  rmSync(home, { recursive: true, force: true })
}
