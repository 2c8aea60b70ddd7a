import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { errors } from '../schemas/common.js'
import { Start, StartQuery } from '../schemas/home.js'
import { readerOf } from '../services/areas/auth/index.js'
import { startDocument } from '../services/areas/home/index.js'
import { reasoningToWire } from '../services/areas/models/index.js'
import { projectListToWire } from '../services/areas/projects/index.js'
import { redactDeepGently } from '../services/ground/redaction/index.js'
import { budgetsToWire } from './shared/budgets-answer.js'
import { knownSession } from './shared/known-session.js'
import { namesTag, sendFinished, sendUnchanged } from './shared/sending.js'

/** Numbers of rows of the list and of messages of the session, as the app requests them otherwise. */
const rows = 50
const messages = 50

/** Everything that a client needs at its start, in one answer. Each part is the answer of its own route. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { feed, foreign, home, models, projects, prompts, sessions, voice } = app

  app.get('/api/start', {
    // A session of another profile is left out of the answer; the rest is included.
    config: { scope: 'read', finishedBytes: true, otherProfiles: 'open' },
    schema: {
      tags: ['home'],
      summary: 'Get what a client needs at its start',
      description: 'Settings, sessions, pending prompts, projects, models, the home screen, a session with its budgets, and whether the ' +
        'service can transcribe. Each part is the answer of its own route. A part that fails, takes longer than 300 ms or belongs to ' +
        'another profile is null: request it from its own route. Continue with `GET /api/events` and `after_event_id` = `cursor`. Has an `ETag`.',
      querystring: StartQuery,
      response: { 200: Start, 304: Type.Null({ description: 'not changed since the ETag that was sent; no body' }), ...errors(400) }
    }
  }, async (request, reply) => {
    const { headers, operator, query: { session_id: id = '' } } = request
    const profile = request.activeProfile()
    const reader = readerOf(operator)
    const isSeen = id !== '' && app.isSessionOf(id, profile)
    // As in every answer that is not finished bytes, clients that may not type get it with credentials masked.
    const seen = async (value: unknown) => part(reader.mayType || !sessions.isMasked() ? value : await redactDeepGently(value))
    // Changes while the rest is being made come after the cursor.
    const { text: snapshot, cursor } = feed.snapshot({
      flags: { profile, allProfiles: false, includeArchived: false, source: 'all' }, limit: rows, reader
    })
    const { body, etag } = await startDocument(cursor, {
      snapshot: () => ({ text: snapshot }),
      session: async () => isSeen ? { text: await sessionText(id, reader.mayType) } : part(null),
      projects: () => {
        const list = projectListToWire(projects, profile, false)
        // They may be long, and are read when somebody edits them.
        return seen({ ...list, projects: list.projects.map(({ instructions, ...project }) => project) })
      },
      models: async () => ({ text: (await models.catalog.answer(profile)).body.toString() }),
      reasoning: async () => await seen(reasoningToWire(await models.reasoning.state(profile))),
      home: () => {
        const happened = home.read(profile)
        return { ...part(happened), lasting: JSON.stringify({ ...happened, now: 0 }) }
      },
      transcription: async () => await seen({ ok: true, ...await voice.transcription.capability(profile) }),
      budgets: async () => await seen(isSeen ? budgetsToWire(app, profile, knownSession(app, id)) : null),
      yolo: async () => await seen(isSeen ? { yolo_enabled: prompts.yolo.isOn(knownSession(app, id)) } : null)
    }, (name, error) => request.log.warn({ part: name, reason: String(error) }, 'a part of the start document could not be made'))
    reply.headers({ ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding' })
    if (namesTag(headers['if-none-match'], etag)) return await sendUnchanged(reply)
    await sendFinished(reply, body)
  })

  async function sessionText (id: string, mayType: boolean): Promise<string> {
    const options = { typed: mayType, messages: true, window: { limit: messages } }
    if (sessions.isForeign(id)) return JSON.stringify({ session: await foreign.detail(id, options) })
    return Buffer.concat(await sessions.answer(id, options)).toString()
  }
}
export default plugin

const part = (value: unknown): { text: string } => ({ text: JSON.stringify(value) })
