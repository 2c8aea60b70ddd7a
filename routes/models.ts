import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import { errors } from '../schemas/common.js'
import {
  LiveModelsQuery, LiveModelsReply, ModelsQuery, ModelsReply, ProvidersReply, type Provider
} from '../schemas/models.js'
import { accepts } from '../services/ground/network/accepted-encoding.js'
import { remoteFolder } from '../services/ground/remote-folder.js'
import {
  answeringWith, finishedAnswer, groupsToWire, modelToWire, type ListedProvider, type ModelGroups
} from '../services/areas/models/index.js'
import { namesTag, sendFinished, sendUnchanged } from './shared/sending.js'
import { tagged } from './shared/tagged.js'
import { shownAddress } from './shared/shown-address.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('models'))
  /** Returns the models of another machine, with the default model for it, which may differ from the machine's own default. */
  async function elsewhereGroups (machine: string, profile: string): Promise<ModelGroups> {
    const { chooser, far } = app.models
    const groups = await far.picker(machine, profile)
    const usual = groups.activeProvider === null ? null : await chooser.choose(profile, {}, machine)
    return usual === null || 'error' in usual ? groups : answeringWith(groups, usual.ref)
  }

  app.get('/api/models', {
    config: { scope: 'read', finishedBytes: true },
    schema: {
      summary: 'List models by provider',
      description: 'With `session_id` (or `workspace`), the models of its machine. Ids of other providers than the active one begin ' +
        'with `@provider:`. A provider that does not answer within 8 seconds has `models_endpoint_error`. Has an `ETag`.',
      querystring: ModelsQuery,
      response: {
        200: ModelsReply, 304: Type.Null({ description: 'not changed since the ETag that was sent; no body' }), ...errors(400, 404, 503)
      }
    }
  }, async (request, reply) => {
    const { headers, query: { session_id: sessionId, workspace = '' } } = request
    const { profile, workspace: folder } = sessionId === undefined
      ? { profile: request.activeProfile(), workspace }
      : app.sessions.contextOf(sessionId, request.activeProfile())
    const elsewhere = remoteFolder(folder)
    const { etag, body, gzipped } = elsewhere === null
      ? await app.models.catalog.answer(profile)
      : finishedAnswer(groupsToWire(await elsewhereGroups(elsewhere.machine, profile)))
    reply.headers({ ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding' })
    if (namesTag(headers['if-none-match'], etag)) return await sendUnchanged(reply)
    if (!accepts(headers['accept-encoding'], 'gzip')) return await sendFinished(reply, body)
    await sendFinished(reply.header('content-encoding', 'gzip'), await gzipped())
  })

  app.get('/api/models/live', {
    // Asks the provider, with the profile's key.
    config: { scope: 'read', changes: true },
    schema: {
      summary: 'Ask a provider for its models now',
      description: 'The list is at most a minute old. If the provider cannot be asked: 200 with `error`. 400: unknown provider.',
      querystring: LiveModelsQuery,
      response: { 200: LiveModelsReply, ...errors(400) }
    }
  }, async (request) => {
    const { provider, models, error } = await app.models.catalog.live(request.activeProfile(), request.query.provider)
    return { provider, models: models.map(modelToWire), count: models.length, ...(error !== undefined && { error }) }
  })

  app.get('/api/providers', {
    config: { scope: 'read' },
    schema: {
      summary: 'List model providers, with the sources of their keys',
      description: 'Configured and known providers, never their keys. `auth_error` says what a provider lacks, or that it refused the key.',
      response: { 200: ProvidersReply }
    }
  }, async (request) => {
    const { active, providers } = await app.models.catalog.providers(request.activeProfile())
    return { active_provider: active, providers: providers.map(toProvider) }
  })
}
export default plugin

function toProvider ({ entry, id, displayName, problem, models, install }: ListedProvider): Static<typeof Provider> {
  return {
    id,
    display_name: displayName,
    has_key: entry !== null && entry.apiKey !== null,
    configurable: entry?.kind !== 'acp' && install === undefined,
    is_self_hosted: entry?.isSelfHosted ?? false,
    base_url: entry === null ? null : shownAddress(entry.baseUrl),
    is_oauth: false,
    key_source: entry?.keySource ?? 'none',
    auth_error: problem,
    models: models.map(modelToWire),
    models_total: models.length,
    is_plugin_provider: entry?.kind === 'acp' || install !== undefined,
    is_custom: entry?.isCustom ?? false,
    reason: entry?.reason ?? install ?? null
  }
}
