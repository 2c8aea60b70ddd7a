import swagger from '@fastify/swagger'
import { type FastifyInstance, type RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { readFileSync } from 'node:fs'
import { named } from '../../schemas/components.js'
import { errors } from '../../schemas/errors.js'
import { bodyExamples } from '../../schemas/examples-bodies.js'
import { examples } from '../../schemas/examples.js'
import { asset } from '../../services/ground/assets.js'
import { fieldsOf } from '../../services/ground/fields.js'

/**
 * The OpenAPI 3.1 document, made from the routes' schemas. What applies to every route is added here: its id, the answers of the guard in
 * front of it, and that of the parser of bodies.
 */
export default fp(async (app: FastifyInstance) => {
  app.addHook('onRoute', (route) => {
    const { method, schema, config } = route
    if (schema === undefined || schema.hide === true) return
    const isPublic = config?.access === 'public'
    const hasBody = [method].flat().some((each) => each !== 'GET' && each !== 'HEAD' && each !== 'DELETE')
    const refusals = [...isPublic ? [] : [401], 403, ...hasBody ? [415] : []]
    route.schema = {
      operationId: operationId(route),
      ...(isPublic ? { security: [] } : { 'x-token-scope': config?.scope ?? 'person' }),
      ...schema,
      response: sparse({ ...errors(...refusals), ...fieldsOf(schema.response) })
    }
  })
  await app.register(swagger, {
    openapi: { ...head(app), tags: Object.entries(areas).map(([name, description]) => ({ name, description })) },
    transformObject: (document) => 'openapiObject' in document
      ? exemplified(named(summarised(document.openapiObject)))
      : document.swaggerObject
  })
}, { name: 'openapi', dependencies: ['auth', 'version'] })

type SecurityScheme = { type: 'apiKey', in: 'cookie' | 'header', name: string } | { type: 'http', scheme: 'bearer', description: string }

/** What applies to every operation. */
const introduction = `An AI agent behind HTTP with JSON bodies and Server-Sent Events.

- **Sign in**: \`GET /api/auth/status\` says whether that is needed. Browsers use the cookie of \`POST /api/auth/login\`, and send \`csrf_token\`
  as \`X-Svc-CSRF-Token\` with each change. Programs send \`Authorization: Bearer <token>\`; \`x-token-scope\` of an operation is the scope that it
  needs, and \`person\` means that no token may use it (403 \`scope_too_narrow\`).
- **A turn**: \`POST /api/session/new\`, \`POST /api/chat/start\`, then \`GET /api/chat/stream\` until its last frame. Meanwhile the agent may ask:
  \`GET /api/approval/stream\`, \`POST /api/approval/respond\`.
- **Errors** have the body \`{"error": text}\`: a sentence for a person. Act on \`code\` where there is one, else on the status. 429 and 503 may have
  \`Retry-After\`. Another method than those of a path is a 405 with \`Allow\`.
- **Retries**: a request with a new \`client_id\` can be sent again within a week, and counts once.
- **Profiles**: a session of another profile than the active one is a 409 \`session_profile_mismatch\`, with the \`profile\` to switch to.
- **Changes of this interface**: new fields, frames, codes and operations may appear at any time, so ignore what you do not know. Nothing that
  a client relies on is removed or narrowed without a new version.

Clients for TypeScript and Python are in \`clients/\` of the source; \`docs/clients.md\` describes them, \`docs/interface.md\` the behaviour.`

/** Returns the part that depends on the configuration: the version, and how to sign in. */
function head ({ serviceVersion, config: { cookieName, proxyHeader } }: FastifyInstance) {
  const securitySchemes: Record<string, SecurityScheme> = {
    cookie: { type: 'apiKey', in: 'cookie', name: cookieName },
    token: { type: 'http', scheme: 'bearer', description: 'a device token; x-token-scope of each operation names the scope that it needs' }
  }
  const security: Array<Record<string, string[]>> = [{ cookie: [] }, { token: [] }]
  if (proxyHeader !== null) {
    securitySchemes.proxy = { type: 'apiKey', in: 'header', name: proxyHeader.name }
    security.push({ proxy: [] })
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent web service',
      description: introduction,
      version: serviceVersion,
      // `identifier` exists since 3.1, which the plugin's types do not cover.
      license: { name: 'MIT', identifier: 'MIT' } as { name: string }
    },
    servers: [{ url: '/', description: 'this service' }],
    components: { securitySchemes },
    security
  }
}

/**
 * Returns the document that `npm run openapi` has stored, with the head of this service. `app.swagger()` makes the same from the routes,
 * but blocks the event loop for some 200 ms.
 */
export function storedDocument (app: FastifyInstance): object {
  const stored: { components: object } = JSON.parse(readFileSync(asset('docs/openapi.json'), 'utf8'))
  const { components, ...rest } = head(app)
  return { ...stored, ...rest, components: { ...stored.components, ...components } }
}

/** The parts of an operation that are changed here. The plugin's own type covers three versions of OpenAPI at once. */
interface Operation {
  callbacks?: Record<string, Record<string, Record<string, { summary?: string, requestBody?: { description?: string } }>>>
  requestBody?: { content: Record<string, object> }
  responses: Record<string, { description?: string, content?: Record<string, object> }>
}
const pathsOf = ({ paths }: { paths?: unknown }) => (paths ?? {}) as Record<string, Record<string, Operation>>

/**
 * Gives callbacks the description of their body as a summary, because the plugin leaves out the summary that the route gives. Replaces the
 * plugin's text for answers without a description.
 */
function summarised<D extends { paths?: unknown }> (document: D): D {
  for (const { callbacks = {}, responses } of Object.values(pathsOf(document)).flatMap((path) => Object.values(path))) {
    for (const response of Object.values(responses)) if (response.description === 'Default Response') response.description = 'The answer'
    for (const sent of Object.values(callbacks).flatMap((urls) => Object.values(urls)).flatMap((methods) => Object.values(methods))) {
      sent.summary ??= sent.requestBody?.description
    }
  }
  return document
}

/** Adds the examples beside the schemas of requests and answers, where readers of the document expect them. */
function exemplified<D extends { paths?: unknown }> (document: D): D {
  const paths = pathsOf(document)
  const bodies = Object.entries(bodyExamples).map(([key, body]) => [key, { body, answer: undefined }] as const)
  for (const [key, { body, answer }] of [...Object.entries(examples), ...bodies]) {
    const [method = '', path = ''] = key.split(' ')
    const operation = paths[path]?.[method.toLowerCase()]
    if (operation === undefined) throw new Error(`There is an example of ${key}, and no such operation`)
    for (const media of Object.values(operation.requestBody?.content ?? {})) Object.assign(media, body !== undefined && { example: body })
    if (answer === undefined) continue
    for (const media of Object.values(operation.responses[200]?.content ?? {})) Object.assign(media, { example: answer })
  }
  return document
}

const areas = {
  system: 'Health, metrics and diagnostics of the service',
  auth: 'Sign-in and sign-out, passkeys, device tokens and pairing',
  audit: 'Log of who did what',
  sessions: 'Conversations: lists, transcripts, edits, exports',
  projects: 'Groups of conversations',
  chat: 'Turns: start, follow, steer, queue, stop',
  approvals: 'Approvals and questions that wait for a person, and permanent permissions',
  'side turns': 'Goals, side questions, background tasks',
  home: 'The start of a client, and what happened while nobody looked',
  events: 'All changes in one stream',
  schedules: 'Scheduled jobs, their runs and results',
  pulls: 'Pull requests on GitHub, GitLab, Gitea and Forgejo, with their checks and comments',
  hooks: 'Addresses that other programs call to start turns',
  workspace: 'Folders that sessions work in',
  files: 'Files of a workspace, its trash, and uploads',
  reviews: 'Comments on the changes of a session, and their results',
  plans: 'Plan mode of a session: its plan as a document, and the start of the plan',
  checks: 'Tests, linters and type checks of a project: saved checks, runs and problems',
  attempts: 'Several attempts at one task, compared, and applied',
  checkpoints: 'Snapshots of workspaces from before turns wrote to them',
  git: 'Git in the folder of a session',
  models: 'Models, their providers, and external agents',
  profiles: 'Profiles: each has its own keys, settings, memory and conversations',
  personalities: 'Ways in which the agent speaks',
  memory: 'Documents that the agent reads in every conversation, with their versions',
  skills: 'Instructions for recurring kinds of work',
  commands: 'Slash commands and bundles of skills',
  plugins: 'Folders with commands, skills and MCP servers',
  mcp: 'Servers of the Model Context Protocol, and this service as one',
  openai: 'The agent behind the interface of OpenAI',
  voice: 'Speech to text, and text to speech',
  push: 'Notifications in browsers',
  settings: 'Settings of this instance',
  budgets: 'Limits on tokens and money',
  insights: 'Usage and cost',
  hosts: 'Machines that turns can run on',
  updates: 'New versions of this service'
}

/**
 * Returns the object in a form in which the engine keeps only the entries that it has. Otherwise, an object whose names are statuses takes
 * as much memory as an array up to the highest of them.
 */
function sparse (object: Record<number, unknown>): Record<number, unknown> {
  object[4096] = undefined
  delete object[4096]
  return object
}

/** Returns the id of an operation: `POST /api/session/rename` is `postSessionRename`. */
function operationId ({ method, url }: Pick<RouteOptions, 'method' | 'url'>): string {
  const words = url.replace(/^\/(?:api\/)?/, '').split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return [String([method].flat()[0]).toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}
