import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createImages, createOpenAi, createResponseRows, type OpenAi } from '../../services/areas/openai/index.js'
import { remoteFolder } from '../../services/ground/remote-folder.js'

declare module 'fastify' {
  interface FastifyInstance { openai: OpenAi }
}

/** Turns for clients that use OpenAI's API. */
export default fp(async (app: FastifyInstance) => {
  const { chat, clock, db, events, files, machines, models, serviceVersion, sessions, workers, workspace } = app
  const openai = createOpenAi({
    chat, clock, events, models: models.catalog, sessions, workers, rows: createResponseRows(db),
    defaultWorkspace: () => workspace.defaultFolder,
    images: createImages(files),
    isCurrent (folder) {
      const machine = remoteFolder(folder)?.machine
      return machine === undefined || machines.presence.find(machine)?.told?.version === serviceVersion
    },
    log: (message, details) => app.log.warn(details, message),
    async sees ({ profile, workspace: folder, model: own, modelProvider }, model) {
      const machine = remoteFolder(folder)?.machine ?? null
      const wanted = model === null ? { model: own, provider: modelProvider } : { model }
      const choice = await models.chooser.choose(profile, wanted, machine)
      // An error is reported by the turn.
      return 'error' in choice || choice.ref.seesImages !== false || await models.chooser.inTurn(profile, 'vision', choice.ref, machine) !== null
    }
  })
  chat.planProgramsAgain(openai.planAgain)
  app.decorate('openai', openai)
}, { name: 'openai', dependencies: ['database', 'events', 'files', 'sessions', 'workers', 'workspace', 'machines', 'models', 'chat'] })
