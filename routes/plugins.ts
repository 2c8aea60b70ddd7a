import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { audited } from '../plugins/ground/audited.js'
import { conflicts, errors } from '../schemas/common.js'
import { PluginFile, PluginFileQuery, PluginList, PluginReply, SetPlugin } from '../schemas/plugins.js'
import { readerOf } from '../services/areas/auth/index.js'
import { pluginToWire } from '../services/areas/plugins/index.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('plugins'))
  const { plugins } = app

  app.get('/api/plugins', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the plugins of the profile, with what each provides',
      description: '`brings` is what it would add. `changed`: its files differ from those in use; look at them, and switch it on again.',
      response: { 200: PluginList }
    }
  }, async (request) => {
    const { mayChange } = readerOf(request.operator)
    return { plugins: (await plugins.list(request.activeProfile())).map((one) => pluginToWire(one, mayChange)) }
  })

  app.get('/api/plugins/file', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Get a file of a plugin, and its diff against the copy in use',
      description: '`content` is the present file, `diff` its diff against the copy in use. 404: no such plugin or file.',
      querystring: PluginFileQuery,
      response: { 200: PluginFile, ...errors(400, 404) }
    }
  }, async (request) => await plugins.file(request.activeProfile(), request.query.name, request.query.path))

  app.post('/api/plugins', {
    config: {
      scope: 'admin', audit: audited<typeof SetPlugin>(({ name: plugin, enabled: on }, record, request) =>
        record('plugin.switched', { profile: request.activeProfile(), plugin, on }))
    },
    schema: {
      summary: 'Switch a plugin on or off',
      description: 'Switching it on copies its files, and the copy is used. Later changes in its folder take effect when ' +
        'it is switched on again.',
      body: SetPlugin,
      response: { 200: PluginReply, ...errors(400, 403, 404, 503), ...conflicts('plugin_changed') }
    }
  }, async (request) => {
    const { name, enabled, seal } = request.body
    return { ok: true as const, plugin: pluginToWire(await plugins.set(request.activeProfile(), name, enabled, seal ?? null), true) }
  })
}
export default plugin
