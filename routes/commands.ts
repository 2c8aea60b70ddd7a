import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { errors } from '../schemas/common.js'
import { BundleList, CommandLine, CommandList, CommandOutput, CommandsQuery, ResolvedBundle } from '../schemas/commands.js'
import { Unavailable } from '../services/ground/errors.js'
import { bundleToWire, commandToWire, resolvedToWire } from '../services/areas/commands/index.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('commands'))
  const { commands, sessions } = app

  app.get('/api/commands', {
    config: { scope: 'read' },
    schema: {
      summary: 'List slash commands',
      description: 'With `session_id`, includes those of its workspace and of its external agent. Send a command as a message with ' +
        '`POST /api/chat/start`. Commands of the categories `Session`, `Conversation`, `Configuration` and `Info` are run by the client.',
      querystring: CommandsQuery,
      response: { 200: CommandList, ...errors(400, 404) }
    }
  }, async (request) => {
    const { session_id: id } = request.query
    const context = id === undefined || id === ''
      ? { profile: request.activeProfile(), workspace: null }
      : sessions.contextOf(id, request.activeProfile())
    return { commands: (await commands.list(context)).map(commandToWire) }
  })

  app.get('/api/commands/bundles', {
    config: { scope: 'read' },
    schema: {
      summary: 'List skill bundles',
      description: 'A bundle stands for the instructions of several skills.',
      response: { 200: BundleList }
    }
  }, async (request) => ({ bundles: commands.bundles.of(request.activeProfile()).map(bundleToWire) }))

  app.post('/api/commands/bundles/resolve', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the message that a skill bundle stands for',
      description: 'Send `message` with `POST /api/chat/start`. `missing_skills` names those that are gone. 404: no such bundle.',
      body: CommandLine,
      response: { 200: ResolvedBundle, ...errors(400, 404) }
    }
  }, async (request) => resolvedToWire(await commands.bundles.message(request.activeProfile(), request.body.command)))

  app.get('/api/commands/moa/resolve', {
    config: { scope: 'read' },
    // Not an operation of this service; the answer is for clients that know another server.
    schema: { hide: true }
  }, async () => { throw new Unavailable('This service has no mixture of agents: each turn is answered by one model') })

  app.post('/api/commands/exec', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Run a command of the agent or of a plugin',
      description: 'Commands of the agent: reload-mcp, reload-skills, codex-runtime, credits. 503 for commands that this service does ' +
        'not have. If a plugin\'s command becomes a message, `output` is that message.',
      body: CommandLine,
      response: { 200: CommandOutput, ...errors(400, 404, 500, 503) }
    }
  }, async (request) => ({ output: await commands.exec(request.activeProfile(), request.body.command) }))
}
export default plugin
