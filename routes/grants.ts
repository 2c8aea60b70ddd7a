import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors } from '../schemas/common.js'
import { GrantList, GrantRevoked, RevokeGrant } from '../schemas/grants.js'
import { tagged } from './shared/tagged.js'

const toWire = (keys: readonly string[]) => keys.map((patternKey) => ({ pattern_key: patternKey }))

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('approvals'))
  const { grants } = app

  app.get('/api/grants', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the permanent permissions of the agent',
      description: 'Permissions that the choice `always` of approvals has granted in this profile.',
      response: { 200: GrantList }
    }
  }, async (request) => ({ grants: toWire(grants.list(request.activeProfile())) }))

  app.post('/api/grants/revoke', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Revoke a permanent permission of the agent',
      description: 'Removes it from config.yaml and from every session and turn that has it: such calls need an approval again.',
      body: RevokeGrant,
      response: { 200: GrantRevoked, ...errors(400, 404), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => ({ ok: true as const, grants: toWire(await grants.revoke(request.activeProfile(), request.body.pattern_key)) }))
}
export default plugin
