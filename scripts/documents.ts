import { readFileSync } from 'node:fs'
import { buildApp } from '../app.js'
import { readConfig } from '../plugins/ground/config.js'
import { auditKinds } from '../schemas/audit.js'
import { errorCodes, plainErrors, type ErrorEntry } from '../schemas/error-codes.js'
import { openDatabase } from '../services/ground/database/index.js'

/**
 * Returns the OpenAPI document of a service with the default configuration, as in `docs/openapi.json`. `home`: a folder that
 * it may write to.
 */
export async function openapiDocument (home: string): Promise<string> {
  const config = readConfig({ HOME: home, SVC_HOME: home, SVC_WEBUI_DEFAULT_WORKSPACE: home, SVC_WEBUI_PROBE_LOCAL: '0' })
  const app = await buildApp({ config, environment: {}, db: openDatabase({ file: ':memory:' }) })
  await app.ready()
  const document = app.swagger()
  await app.close()
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Returns the text of a document with a table inserted in its place. */
function withTable (path: string, name: string, table: string): string {
  const markdown = readFileSync(path, 'utf8')
  const [opening, closing] = [`<!-- ${name}: written by \`npm run openapi\` -->`, `<!-- ${name}: end -->`]
  const [from, to] = [markdown.indexOf(opening), markdown.indexOf(closing)]
  if (from === -1 || to === -1) throw new Error(`${path} has no place for its table: ${name}`)
  return `${markdown.slice(0, from)}${opening}\n\n${table}\n${markdown.slice(to)}`
}

/** Returns the text of `docs/interface.md` with the tables of errors from the catalogue. */
export const interfaceDocument = (): string => withTable('docs/interface.md', 'errors', errorTables())

/** Returns the text of `docs/operations.md` with the table of audit log kinds, as declared. */
export const operationsDocument = (): string => withTable('docs/operations.md', 'audit', auditTable())

const auditTable = (): string => [
  '| Kind | What was done | Details |', '|---|---|---|',
  ...Object.entries(auditKinds).map(([kind, { description, details }]) =>
    `| \`${kind}\` | ${description} | ${Object.keys(details.properties).map((key) => `\`${key}\``).join(', ')} |`),
  ''
].join('\n')

function errorTables (): string {
  const coded = Object.entries<ErrorEntry>(errorCodes).map(([code, entry]) => [`\`${code}\``, entry] as const)
  return [
    '| Status | When | For example | Further keys |', '|---|---|---|---|',
    ...plainErrors.map((entry) => `| ${entry.statuses.join(', ')} | ${entry.when} | ${cell(entry.text)} | ${keysOf(entry)} |`),
    '', '| Code | Status | When | Further keys |', '|---|---|---|---|',
    ...coded.map(([code, entry]) => `| ${code} | ${entry.statuses.join(', ')} | ${entry.when} | ${keysOf(entry)} |`),
    ''
  ].join('\n')
}

const keysOf = ({ details = {} }: ErrorEntry): string => Object.keys(details).map((key) => `\`${key}\``).join(', ')
const cell = (text: string): string => text.replaceAll('|', '\\|')
