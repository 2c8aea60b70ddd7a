import swagger from '@fastify/swagger'
import { type FastifyInstance, type RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { readFileSync } from 'node:fs'
import { named } from '../../schemas/components.js'
import { errors } from '../../schemas/errors.js'
import { asset } from '../../services/ground/assets.js'
import { fieldsOf } from '../../services/ground/fields.js'

/**
 * The OpenAPI 3.1 document, made from the routes' schemas. What holds for every route is added here: its id, and what the
 * guard in front of it answers.
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
    transformObject: (document) => 'openapiObject' in document ? summarised(named(document.openapiObject)) : document.swaggerObject
  })
}, { name: 'openapi', dependencies: ['auth', 'version'] })

type SecurityScheme = { type: 'apiKey', in: 'cookie' | 'header', name: string } | { type: 'http', scheme: 'bearer', description: string }

/** What depends on the configuration: the version, and how to sign in. */
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
      description: 'An AI agent behind HTTP and Server-Sent Events. Errors always have the body {"error": text}.',
      version: serviceVersion,
      license: { name: 'MIT', identifier: 'MIT' } as { name: string }
    },
    servers: [{ url: '/', description: 'this service' }],
    components: { securitySchemes },
    security
  }
}

/**
 * The document as `npm run openapi` has stored it, with the head of this service. `app.swagger()` makes the same from the routes, which
 * holds up the event loop for some 200 ms.
 */
export function storedDocument (app: FastifyInstance): object {
  const stored: { components: object } = JSON.parse(readFileSync(asset('docs/openapi.json'), 'utf8'))
  const { components, ...rest } = head(app)
  return { ...stored, ...rest, components: { ...stored.components, ...components } }
}

/** What is sent to others takes its summary from the body: the plugin leaves out the one that its route names. */
function summarised<D extends { paths?: unknown }> (document: D): D {
  for (const path of Object.values(document.paths ?? {})) {
    for (const { callbacks = {} } of Object.values(path as Record<string, {
      callbacks?: Record<string, Record<string, Record<string, { summary?: string, requestBody?: { description?: string } }>>>
    }>)) {
      const sent = Object.values(callbacks).flatMap(Object.values).flatMap(
        Object.values
      ) as Array<{ summary?: string, requestBody?: { description?: string } }>
      for (const operation of sent) operation.summary ??= operation.requestBody?.description
    }
  }
  return document
}

const areas = {
  system: 'How the service is doing',
  auth: 'Signing in and out',
  audit: 'What was done and by whom',
  sessions: 'Conversations: lists, transcripts, edits, files of them',
  projects: 'Folders of conversations',
  chat: 'Turns: start, follow, stop, steer',
  approvals: 'What waits for a person: approvals and questions',
  'side turns': 'Goals, questions on the side, background tasks',
  workspace: 'The folders that conversations work in',
  events: 'Everything over one stream',
  files: 'Files of a workspace',
  checkpoints: 'What workspaces held before turns wrote to them',
  git: 'Git in the folder of a conversation',
  models: 'Models and their providers',
  profiles: 'Profiles',
  openai: 'The agent for clients of OpenAI\'s interface',
  settings: 'Settings of this instance'
}

/** `POST /api/session/rename` is `postSessionRename`. */
function operationId ({ method, url }: Pick<RouteOptions, 'method' | 'url'>): string {
  const words = url.replace(/^\/(?:api\/)?/, '').split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return [String([method].flat()[0]).toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}
