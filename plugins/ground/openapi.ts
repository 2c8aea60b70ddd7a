import swagger from '@fastify/swagger'
import { type FastifyInstance, type RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { readFileSync } from 'node:fs'
import { named } from '../../schemas/components.js'
import { errors } from '../../schemas/errors.js'
import { examples } from '../../schemas/examples.js'
import { asset } from '../../services/ground/assets.js'
import { fieldsOf } from '../../services/ground/fields.js'

/**
 * Makes the OpenAPI 3.1 document from the routes' schemas, and adds what every route has in common: its id, and the answers
 * of the guard in front of it.
 */
export default fp(async (app: FastifyInstance) => {
  app.addHook('onRoute', (route) => {
    const { schema, config } = route
    if (schema === undefined || schema.hide === true) return
    const isPublic = config?.access === 'public'
    route.schema = {
      operationId: operationId(route),
      ...(isPublic ? { security: [] } : { 'x-token-scope': config?.scope ?? 'person' }),
      ...schema,
      response: { ...(isPublic ? errors(403) : errors(401, 403)), ...fieldsOf(schema.response) }
    }
  })
  await app.register(swagger, {
    openapi: { ...head(app), tags: Object.entries(areas).map(([name, description]) => ({ name, description })) },
    transformObject: (document) => 'openapiObject' in document
      ? exemplified(summarised(named(document.openapiObject)))
      : document.swaggerObject
  })
}, { name: 'openapi', dependencies: ['auth', 'version'] })

type SecurityScheme = { type: 'apiKey', in: 'cookie' | 'header', name: string } | { type: 'http', scheme: 'bearer', description: string }

/** Introduces what all operations have in common. */
const introduction = `An AI agent behind HTTP with JSON bodies and Server-Sent Events.

- **Sign in**: \`GET /api/auth/status\` says whether that is needed. Browsers use the cookie of \`POST /api/auth/login\`, and send \`csrf_token\`
  as \`X-Svc-CSRF-Token\` with each change. Programs send \`Authorization: Bearer <token>\`; \`x-token-scope\` of an operation is the scope that it
  needs, and \`person\` means that no token may use it (403 \`scope_too_narrow\`).
- **A turn**: \`POST /api/session/new\`, \`POST /api/chat/start\`, then \`GET /api/chat/stream\` until its last frame. Meanwhile the agent may ask:
  \`GET /api/approval/stream\`, \`POST /api/approval/respond\`.
- **Errors** have the body \`{"error": text}\`: a sentence for a person. Act on \`code\` where there is one, else on the status. 429 and 503 may have
  \`Retry-After\`.
- **Retries**: a request with a new \`client_id\` can be sent again within a week, and counts once.
- **Profiles**: a session of another profile than the active one is a 409 \`session_profile_mismatch\`, with the \`profile\` to switch to.
- **Changes of this interface**: new fields, frames, codes and operations may appear at any time, so ignore what you do not know. Nothing that
  a client relies on is removed or narrowed without a new version.

Clients for TypeScript and Python are in \`clients/\` of the source; \`docs/clients.md\` describes them, \`docs/interface.md\` the behaviour.`

/** Returns the parts that depend on the configuration: the version, and how to sign in. */
function head ({ serviceVersion, config: { cookieName, proxyHeader } }: FastifyInstance) {
  const securitySchemes: Record<string, SecurityScheme> = {
    cookie: { type: 'apiKey', in: 'cookie', name: cookieName },
    token: { type: 'http', scheme: 'bearer', description: 'of a device; what it may do is in x-token-scope of each operation' }
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
      // `identifier` is new in 3.1; the plugin's types do not have it.
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

/** The parts of an operation that this file adds to. The plugin's types of a document are those of three versions at once. */
interface Operation {
  callbacks?: Record<string, Record<string, Record<string, { summary?: string, requestBody?: { description?: string } }>>>
  requestBody?: { content: Record<string, object> }
  responses: Record<string, { content?: Record<string, object> }>
}
const pathsOf = ({ paths }: { paths?: unknown }) => (paths ?? {}) as Record<string, Record<string, Operation>>

/** Gives each callback the description of its body as its summary: the plugin drops the summary that the route declares. */
function summarised<D extends { paths?: unknown }> (document: D): D {
  for (const { callbacks = {} } of Object.values(pathsOf(document)).flatMap((path) => Object.values(path))) {
    for (const sent of Object.values(callbacks).flatMap((urls) => Object.values(urls)).flatMap((methods) => Object.values(methods))) {
      sent.summary ??= sent.requestBody?.description
    }
  }
  return document
}

/** Adds the examples where readers of the document look for them: beside the schemas of request and response. */
function exemplified<D extends { paths?: unknown }> (document: D): D {
  const paths = pathsOf(document)
  for (const [key, { body, answer }] of Object.entries(examples)) {
    const [method = '', path = ''] = key.split(' ')
    const operation = paths[path]?.[method.toLowerCase()]
    if (operation === undefined) throw new Error(`There is an example of ${key}, and no such operation`)
    for (const media of Object.values(operation.requestBody?.content ?? {})) Object.assign(media, body !== undefined && { example: body })
    for (const media of Object.values(operation.responses[200]?.content ?? {})) Object.assign(media, { example: answer })
  }
  return document
}

const areas = {
  system: 'How the service is doing',
  auth: 'Signing in and out, passkeys, tokens for devices and pairing',
  audit: 'What was done and by whom',
  sessions: 'Conversations: lists, transcripts, edits, files of them',
  projects: 'Groups of conversations',
  chat: 'Turns: start, follow, stop, steer',
  approvals: 'What waits for a person: approvals and questions, and what was allowed for good',
  'side turns': 'Goals, questions on the side, background tasks',
  home: 'What a client shows first, and what happened while nobody looked',
  events: 'Everything over one stream',
  schedules: 'Jobs that run at times: they, their runs and results',
  pulls: 'Pull requests on GitHub, GitLab, Gitea and Forgejo, with their checks and comments',
  hooks: 'Addresses that programs elsewhere call to start turns',
  workspace: 'The folders that conversations work in',
  files: 'Files of a workspace, its trash, and uploads',
  reviews: 'Comments on the changes of a session, and what became of them',
  plans: 'Plan mode of a session: its plan as a document, and how that is started',
  checks: 'The project\'s own tests, linters and type checks: saved, run, and what they found',
  attempts: 'The same task done several times, compared, and one result taken',
  checkpoints: 'What workspaces held before turns wrote to them',
  git: 'Git in the folder of a conversation',
  models: 'Models, their providers, and external agents',
  profiles: 'Profiles: each has its own keys, settings, memory and conversations',
  personalities: 'How the agent speaks in a conversation',
  memory: 'What the agent is told in every conversation, with its versions',
  skills: 'Instructions for kinds of work',
  commands: 'Slash commands and bundles of skills',
  plugins: 'Folders that bring commands, skills and MCP servers',
  mcp: 'Servers of the Model Context Protocol, and this service as one',
  openai: 'The agent for clients of OpenAI\'s interface',
  voice: 'Recordings become text, and texts are read aloud',
  push: 'Notifications of browsers',
  settings: 'Settings of this instance',
  budgets: 'Limits of tokens and money',
  insights: 'What was used, and what it cost',
  hosts: 'Machines that turns can run on',
  updates: 'New versions of this service'
}

/** Returns the id of an operation: `POST /api/session/rename` is `postSessionRename`. */
function operationId ({ method, url }: Pick<RouteOptions, 'method' | 'url'>): string {
  const words = url.replace(/^\/(?:api\/)?/, '').split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return [String([method].flat()[0]).toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}
