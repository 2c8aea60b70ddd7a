import { readFileSync } from 'node:fs'
import { buildApp } from '../app.js'
import { readConfig } from '../plugins/ground/config.js'
import { errorCodes, plainErrors, type ErrorEntry } from '../schemas/errors.js'
import { openDatabase } from '../services/ground/database/index.js'

const opening = '<!-- errors: written by `npm run openapi` -->'
const closing = '<!-- errors: end -->'

/** The OpenAPI document of a service with the usual configuration, as `docs/openapi.json` has it. `home`: a folder it may write to. */
export async function openapiDocument (home: string): Promise<string> {
  const config = readConfig({ HOME: home, SVC_HOME: home, SVC_WEBUI_DEFAULT_WORKSPACE: home, SVC_WEBUI_PROBE_LOCAL: '0' })
  const app = await buildApp({ config, db: openDatabase({ file: ':memory:' }) })
  await app.ready()
  const document = app.swagger()
  await app.close()
  return `${JSON.stringify(document, null, 2)}\n`
}

/** The text of `docs/interface.md` with the table of errors as the catalogue has it. */
function withErrorTable (markdown: string): string {
  const from = markdown.indexOf(opening)
  const to = markdown.indexOf(closing)
  if (from === -1 || to === -1) throw new Error('docs/interface.md has no place for the table of errors')
  return `${markdown.slice(0, from)}${opening}\n\n${errorTables()}\n${markdown.slice(to)}`
}

export const interfaceDocument = (): string => withErrorTable(readFileSync('docs/interface.md', 'utf8'))

function errorTables (): string {
  const coded = Object.entries<ErrorEntry>(errorCodes).map(([code, entry]) => [`\`${code}\``, entry] as const)
  return [
    '| Status | When | For example | Further keys |', '|---|---|---|---|',
    ...plainErrors.map((entry) => `| ${entry.statuses.join(', ')} | ${entry.when} | ${cell(entry.text)} | ${keysOf(entry)} |`),
    '', '| Code | Status | When | For example | Further keys |', '|---|---|---|---|---|',
    ...coded.map(([code, entry]) => `| ${code} | ${entry.statuses.join(', ')} | ${entry.when} | ${cell(entry.text)} | ${keysOf(entry)} |`),
    ''
  ].join('\n')
}

const keysOf = ({ details = {} }: ErrorEntry): string => Object.keys(details).map((key) => `\`${key}\``).join(', ')
const cell = (text: string): string => text.replaceAll('|', '\\|')
