import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FastifyRequest } from 'fastify'
import { audited } from '../plugins/ground/audited.js'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { whileListening } from '../plugins/ground/listening.js'
import { epochSeconds } from '../services/ground/time/clock.js'
import { Invalid } from '../services/ground/errors.js'
import { exportFileName } from '../services/areas/exports/index.js'
import { readImportBody, type ReadImport } from '../services/areas/sessions/index.js'
import { errors } from '../schemas/common.js'
import { ExportFile, ExportQuery, ImportBody, ImportAnswer } from '../schemas/sessions-files.js'
import { pagePolicy, sendPieces } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

/** Export and import of sessions as files. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('sessions'))
  const { sessions, exports } = app

  app.get('/api/session/export', {
    config: {
      scope: 'read', finishedBytes: true, audit: audited<typeof ExportQuery>(({ session_id: session, format }, record) =>
        record('session.exported', { session, format: format === 'html' ? 'html' : 'json' }))
    },
    exposeHeadRoute: false,
    schema: {
      summary: 'Export a session as JSON, which can be imported, or as an HTML page',
      description: '`format=json` (default) is what `POST /api/session/import` takes; `format=html` is one file without script. ' +
        'Credentials are masked while the setting `api_redact_enabled` is on.',
      querystring: ExportQuery,
      response: { 200: ExportFile, ...errors(400, 403, 404) }
    }
  }, async ({ query }, reply) => {
    const { session_id: id, format = 'json', theme, palette } = query
    if (format !== 'json' && format !== 'html') throw new Invalid('format must be json or html')
    const file = { 'Content-Disposition': `attachment; filename="${exportFileName('session', id, format)}"`, 'Cache-Control': 'no-store' }
    if (format === 'json') {
      // The headers of a file are set only after the export has succeeded, because an error is not a file.
      const json = await whileListening(reply, async (signal) => await exports.json(id, signal))
      return await sendPieces(reply.headers(file), json)
    }
    const page = await whileListening(reply, async (signal) => await exports.page(id, { theme, palette }, signal))
    await sendPieces(reply.headers(file).header('Content-Security-Policy', pagePolicy), page, 'text/html; charset=utf-8')
  })

  /** Imports that have been read and are not stored yet, by request. */
  const brought = new WeakMap<FastifyRequest, ReadImport>()

  async function readBody (request: FastifyRequest): Promise<void> {
    if (!Buffer.isBuffer(request.body)) return
    const read = await readImportBody({ bytes: request.body, nowS: epochSeconds(app.clock) }, app.workers)
    brought.set(request, read)
    request.body = read.body
  }

  app.post('/api/session/import', {
    bodyLimit: bodyLimits.text,
    config: { scope: 'chat', bodyUnread: true, finishedBytes: true },
    preValidation: readBody,
    schema: {
      summary: 'Import a session',
      description: 'Accepts messages in chat-completions form, as exported, and always creates a new session. `dropped` and `warning` ' +
        'name what was left out. A `workspace` that cannot be used becomes the default folder.',
      body: ImportBody,
      response: { 200: ImportAnswer, ...errors(400, 413, 503) }
    }
  }, async (request, reply) => {
    const { pieces, leftOut } = brought.get(request) ?? nothingBrought
    const { title, workspace, model, model_provider: modelProvider, pinned = false } = request.body
    const profile = request.activeProfile()
    const row = await sessions.bringIn({
      profile,
      workspace: workspace === undefined
        ? app.workspace.defaultFolder
        : await request.workspaceFolder(workspace).catch(() => app.workspace.defaultFolder),
      title,
      model,
      modelProvider,
      pinned
    }, pieces, () => sessions.checkPin(profile, ''))
    await sendPieces(reply, await sessions.answer(row.id, undefined, { ok: true, ...leftOutToWire(leftOut) }))
  })
}
export default plugin

const nothingBrought: Pick<ReadImport, 'pieces' | 'leftOut'> = { pieces: [], leftOut: { system: 0, context: 0 } }

/** Describes what an import left out; empty if nothing was. */
function leftOutToWire ({ system, context }: ReadImport['leftOut']): { dropped?: { system: number, context: number }, warning?: string } {
  const said = [
    ...(system === 0 ? [] : [`${system} system ${system === 1 ? 'message' : 'messages'}`]),
    ...(context === 0 ? [] : [`${context} ${context === 1 ? 'text' : 'texts'} for the model that the conversation does not show`])
  ]
  return said.length === 0
    ? {}
    : { dropped: { system, context }, warning: `Left out: ${said.join(', and ')}. The model is told what the conversation shows.` }
}
