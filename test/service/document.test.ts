import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { parse } from 'yaml'
import { commandLinePage } from '../../cli/page.js'
import { interfaceDocument, openapiDocument, operationsDocument } from '../../scripts/documents.js'
import { pythonTypes } from '../../scripts/python-types.js'
import { conflicts, errors } from '../../schemas/errors.js'
import { errorCodes } from '../../schemas/error-codes.js'
import { bodyExamples } from '../../schemas/examples-bodies.js'
import { examples } from '../../schemas/examples.js'
import { start } from '../support/app.js'
import { misfit } from '../support/wire.js'

interface Content { content?: Record<string, { schema: object, example?: unknown }> }
interface Operation { operationId: string, tags: string[], summary?: string, description?: string, security?: unknown[], requestBody?: Content, responses: Record<string, Content> }
type Components = Record<string, Record<string, unknown>>
interface Document { paths: Record<string, Record<string, Operation>>, components: Components, servers: unknown[] }

const stored = readFileSync('docs/openapi.json', 'utf8')
const document = JSON.parse(stored) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })))

t.test('what is made from the code is as it is stored: `npm run openapi` writes it', async (t) => {
  t.ok(await openapiDocument(mkdtempSync(join(t.testdir(), 'home-'))) === stored, 'docs/openapi.json')
  t.ok(pythonTypes(stored) === readFileSync('clients/python/agent_web_service_client/wire.py', 'utf8'), 'the types of the Python client')
  t.ok(interfaceDocument() === readFileSync('docs/interface.md', 'utf8'), 'the tables of errors in docs/interface.md')
  t.ok(commandLinePage() === readFileSync('docs/command-line.md', 'utf8'), 'docs/command-line.md')
  t.ok(operationsDocument() === readFileSync('docs/operations.md', 'utf8'), 'the kinds of the audit log in docs/operations.md')
})

t.test('a service serves it with its own ways to sign in, as JSON and YAML', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PROXY_HEADER: 'x-user: ann', SVC_WEBUI_TRUSTED_PROXIES: '127.0.0.1', SVC_WEBUI_COOKIE_NAME: 'other' } })
  const served = JSON.parse(JSON.stringify(service.app.swagger())) as { components: { securitySchemes: unknown } }
  t.match(served.components.securitySchemes, { proxy: { name: 'x-user' }, cookie: { name: 'other' } })
  t.strictSame((await service.get('/docs/json', { 'x-user': 'ann' })).body, served)
  t.strictSame(parse((await service.get('/docs/yaml', { 'x-user': 'ann' })).text), served)
})

t.test('every operation says what a client author needs to know, briefly', async (t) => {
  const { tags } = JSON.parse(stored) as { tags: Array<{ name: string, description?: string }> }
  t.same(tags.filter(({ description = '' }) => description === '').map(({ name }) => name), [])
  t.same([...new Set(operations.flatMap((operation) => operation.tags))].toSorted(), tags.map(({ name }) => name).toSorted(), 'tags')
  for (const { method, path, summary = '', description = '', responses } of operations) {
    const name = `${method} ${path}`
    t.ok(summary.length > 3 && summary.length <= 140 && /^[A-Z].*[^.]$/s.test(summary), `${name} has a summary: ${summary}`)
    t.ok(description.length > 10 && description.length <= 450 && description.endsWith('.'), `${name} has a description: ${description}`)
    t.notMatch(description, /\b(?:services|plugins|routes|schemas|web)\/|\.[jt]s\b|\bfastify\b|sqlite|typebox|preact|\btodo\b/i, `${name} names no internal`)
    // A status beside a code, such as 409 `changed`, and statuses at the beginning of a sentence.
    for (const [, status = '', code = ''] of description.matchAll(/\b(4\d\d|50[23]) `([a-z_]+)`/g)) {
      t.ok(Object.hasOwn(errorCodes, code) ? errorCodes[code as keyof typeof errorCodes].statuses.some((one) => String(one) === status) : code === 'restarting', `${name}: ${status} ${code}`)
      t.ok(status in responses || ['GET /api/profile/active', 'POST /api/updates/apply'].includes(`${method.toUpperCase()} ${path}`), `${name} answers ${status}`)
    }
  }
})

/** Requests without an example: bytes; a body without fields; and what a browser's authenticator makes. This list only becomes shorter. */
const withoutExample = [
  'POST /api/auth/passkey/login', 'POST /api/auth/passkey/options', 'POST /api/auth/passkey/register', 'POST /api/auth/passkey/register/options',
  'POST /api/auth/passkeys', 'POST /api/diagnostics/upload', 'POST /api/mcp/reload', 'POST /api/mcp/servers/{name}/restart',
  'POST /api/mcp/servers/{name}/sign-in', 'POST /api/providers/discover'
]

t.test('each request, and what a new client needs first, has an example, which its schema takes', async (t) => {
  const bodiless = operations.filter(({ requestBody }) => Object.values(requestBody?.content ?? {}).some(({ example }) => example === undefined))
  t.same(bodiless.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(), withoutExample)
  const exampled = operations.filter((operation) => JSON.stringify(operation).includes('"example":'))
  t.same(exampled.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(), Object.keys({ ...examples, ...bodyExamples }).toSorted())
  let count = 0
  for (const { method, path, requestBody, responses } of exampled) {
    for (const [type, { schema, example }] of [requestBody, ...Object.values(responses)].flatMap((part) => Object.entries(part?.content ?? {}))) {
      if (example === undefined) continue
      count++
      const whole = { ...schema, components: componentsOf(schema) }
      t.equal(misfit(whole, example), null, `${method} ${path} ${type}`)
      if (path !== '/api/hooks/{id}') t.match(misfit(whole, 5), /must/, 'and the schema is applied')
    }
  }
  t.ok(count > 180, `${count} examples`)
})

/** Returns the document's components that a schema refers to, directly or not: compiling all of them for every example takes seconds. */
function componentsOf (schema: unknown, found: Components = {}): Components {
  for (const [, kind, name] of JSON.stringify(schema).matchAll(/"#\/components\/(\w+)\/([^"/]+)/g)) {
    if (found[kind!]?.[name!] !== undefined) continue
    const component = document.components[kind!]![name!]
    found[kind!] = { ...found[kind!], [name!]: component }
    componentsOf(component, found)
  }
  return found
}

t.test('every operation can succeed: what only refuses is no part of the document', async (t) => {
  t.same(operations.filter(({ responses }) => !Object.keys(responses).some((status) => /^[23]\d\d$/.test(status))).map(({ method, path }) => `${method} ${path}`), [])
})

t.test('an operation that can refuse what it is asked with says so', (t) => {
  const { paths } = JSON.parse(stored) as { paths: Record<string, Record<string, { parameters?: Array<{ in: string, schema: unknown }>, responses: Record<string, unknown> }>> }
  // A parameter of the query that is sent twice is refused, and so is a body that is no JSON, even if it has no keys.
  const silent = Object.entries(paths).flatMap(([path, item]) => Object.entries(item).filter(([method, { parameters = [], responses }]) =>
    !('400' in responses) && (method !== 'get' || parameters.some((one) => one.in === 'query' || (one.in === 'path' && /"(?:maxLength|minLength|pattern|enum|const)":/.test(JSON.stringify(one.schema)))))
  ).map(([method]) => `${method} ${path}`))
  t.same(silent, ['get /share/{token}'])
})

t.test('.env.example has every variable that the documentation has', (t) => {
  const example = readFileSync('.env.example', 'utf8')
  const documented = [...readFileSync('docs/configuration.md', 'utf8').matchAll(/^\| `(SVC_WEBUI_[A-Z0-9_]+)`/gm)].map(([, name]) => name!)
  t.ok(documented.length > 20)
  t.same(documented.filter((name) => !new RegExp(`^#?${name}=`, 'm').test(example)), [])
})

t.test('every route is in it, with an id of its own, and says what the guard answers', async (t) => {
  const { routes } = await start(t)
  const ids = operations.map(({ operationId }) => operationId)
  t.equal(new Set(ids).size, ids.length)
  t.equal(operations.length, routes.filter(({ method, response, scope }) => method !== 'HEAD' && scope !== 'console' && Object.keys(response).length > 0).length)
  for (const { path, operationId, security, responses } of operations) {
    const url = path.replace(/\{(\w+)\}/g, ':$1')
    const isPublic = routes.some((route) => route.url === url && route.isPublic)
    const signsIn = ['postAuthLogin', 'postAuthPasskeyLogin', 'postAuthPair'].includes(operationId)
    t.equal('401' in responses || signsIn, !isPublic || signsIn, `${operationId} and 401`)
    t.same(security, isPublic ? [] : undefined, `${operationId} and its login`)
    const streams = responses[200]?.content?.['text/event-stream'] !== undefined
    // Operations that answer in pieces on request.
    t.equal(streams, /\/(?:stream|events)$/.test(path) || ['postTranscribe', 'postMcp', 'postV1ChatCompletions', 'postV1Responses', 'getV1ResponsesResponse'].includes(operationId), `${operationId} and its content type`)
  }
})

t.test('errors of a status have its codes and keys, and no others', async (t) => {
  for (const [code, { statuses }] of Object.entries(errorCodes)) {
    for (const status of statuses) t.equal(misfit(errors(status)[status]!, { error: 'x', code }), null, `${code} ${status}`)
  }
  t.match(misfit(errors(409)[409]!, { error: 'x', code: 'no_goal' }), /code/)
  t.match(misfit(errors(404)[404]!, { error: 'x', active_stream_id: 'y' }), /additional/)
  t.equal(misfit(errors(409)[409]!, { error: 'x', ok: false, stale: true }), null)
})

t.test('conflicts of a route have the codes that it declares, and no others', async (t) => {
  const coded = conflicts('exists', 'changed')[409]
  t.equal(misfit(coded, { error: 'x', code: 'changed', version: '1' }), null)
  t.match(misfit(coded, { error: 'x', code: 'mounted' }), /code/)
  t.match(misfit(coded, { error: 'x' }), /code/)
  t.match(misfit(coded, { error: 'x', code: 'exists', active_stream_id: 'y' }), /additional/)
  t.equal(misfit(conflicts('exists', 'uncoded')[409], { error: 'x', active_stream_id: 'y' }), null)
  t.match(misfit(conflicts('uncoded')[409], { error: 'x', code: 'exists' }), /additional/)
})
