import { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { errors } from '../../schemas/errors.js'
import { DomainError, NotFound, RelayFailed } from '../../services/ground/errors.js'
import { fieldsOf } from '../../services/ground/fields.js'
import { remoteFolder } from '../../services/ground/remote-folder.js'
import { createRelay, questionHeader, type RelayedAnswer, type RelayOptions, type RelayedRequest } from '../../services/areas/relay/index.js'
import { attributesOf, vocabulary } from '../../services/ground/tracing/vocabulary.js'
import { hasAttachment, isAttachment } from '../../services/workspace/index.js'
import { whenGone } from '../ground/listening.js'
import { askForMessage } from './git.js'
import { materialOf, passAnswer, wholeJson, withTitles } from './relay-answers.js'
import { formAgain, type ReadForm } from './relay-forms.js'
import { headersOf, parsedRequest, placeOf, relayOf, type RequestFields, type Relayed } from './relay-requests.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * If the workspace is a folder of another machine, that machine answers the route; a route that takes a form calls `relayForm` when it
     * has read it. A machine answers only routes with this setting.
     */
    relay?: true | Relayed
  }
  interface FastifyInstance {
    /**
     * Asks the machine that has the folder of a session, for the service itself; null where the folder is on this machine. Throws
     * NotFound for what it does not have, Unavailable when it does not answer, and RelayFailed.
     */
    askFolder: (sessionId: string, route: string, query: Record<string, string>) => Promise<Record<string, unknown> | null>
  }
  interface FastifyRequest {
    /** Whether the answer was made on another machine: it is finished text then, whatever the route says. */
    isRelayed: boolean
    /** Passes on a form that was read. Resolves with false if its session works in a folder of this machine. */
    relayForm?: (reply: FastifyReply, form: ReadForm) => Promise<boolean>
  }
}

/**
 * Has routes that work in a workspace answered by the machine that has it. This runs after everything that a route requires of
 * a client, and before its handler: this machine decides who may do it, the other machine does it.
 */
export default fp<RelayOptions>(async (app: FastifyInstance, options) => {
  const { chat, checkpoints, config, sessions } = app
  const relay = createRelay(options)
  const ask = askForMessage(app)
  app.decorateRequest('isRelayed', false)

  /** Asks a machine, as a span of the request. */
  async function traced (request: FastifyRequest, machine: string, work: () => Promise<RelayedAnswer>): Promise<RelayedAnswer> {
    const { span, method, routeOptions: { url } } = request
    if (app.tracing === null || span?.isSampled !== true) return await work()
    const said = { 'http.request.method': method, 'http.route': url, 'svc.machine': machine }
    return await app.tracing.around({
      name: `machine ${method} ${url ?? ''}`, kind: vocabulary.machine.kind, attributes: attributesOf<'machine'>(said)
    }, async (note) => {
      const answer = await work()
      const { status } = answer
      note({ 'http.response.status_code': status, ...(status >= 500 && { 'error.type': String(status) }) })
      return answer
    }, (error) => error instanceof DomainError ? error.code ?? error.name : 'failed', span)
  }

  /** Sends a request to the machine that has its folder, and passes on the answer. Resolves with false if the request is answered here. */
  async function forward (request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    // The session of a form is known only when its route has read it; the route passes it on then.
    if (request.isMultipart?.() === true) return false
    const { attachments, refusedWhileWorking = false, asksModel = false, addsTitles = false } = relayOf(request)
    const { method } = request
    // Validated by the schema of the route, in which these are texts.
    const named = { ...(request.query as RequestFields), ...(method === 'POST' ? request.body as RequestFields : {}) }
    const place = placeOf(app, request, named)
    if (place === null || (attachments === 'before' && isAttachment(config.stateDir, place.guest.sessionId, named.path ?? ''))) return false
    const { folder: { machine }, guest } = place
    if (refusedWhileWorking) checkpoints.refuseWhileWorking(`${machine}:${guest.workspace}`)
    const signal = whenGone(reply)
    const asked: RelayedRequest = {
      method, url: request.url, headers: headersOf(request), guest, body: null, ...parsedRequest(request, named, guest)
    }
    const send = async (asked: RelayedRequest): Promise<RelayedAnswer> =>
      await traced(request, machine, async () => await relay.send(machine, asked, signal))
    let answer = await send(asked)
    if (asksModel && answer.headers[questionHeader] !== undefined) {
      answer = await send({ ...asked, guest: { ...guest, said: await ask(guest.sessionId, materialOf(machine, answer)) } })
    }
    if (attachments === 'after' && (answer.status === 403 || answer.status === 404) &&
      hasAttachment(config.stateDir, guest.sessionId, named.path ?? '')) return false
    if (addsTitles && answer.status === 200) {
      reply.send(withTitles(request, machine, answer, checkpoints.titleOf))
      return true
    }
    request.isRelayed = true
    passAnswer(request, reply, machine, answer)
    return true
  }

  // With a callback instead of a promise: if the client has left, Fastify would see no answer, and would run the handler.
  const relayed = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    forward(request, reply).then((isForwarded) => { if (!isForwarded) done() }, done)
  }

  app.decorate('askFolder', async (id, route, query) => {
    const { workspace, readOnly } = sessions.folderOf(id)
    const folder = remoteFolder(workspace)
    if (folder === null) return null
    const { profile } = sessions.get(id)
    const answer = await relay.send(folder.machine, {
      method: 'GET', url: `${route}?${new URLSearchParams({ ...query, session_id: id })}`, headers: {}, body: null,
      guest: {
        sessionId: id, profile, workspace: folder.path, readOnly, isKnown: true, isLive: chat.isLive(id), client: '', isMentioned: false
      }
    }, new AbortController().signal)
    const fields = wholeJson(folder.machine, answer)
    if (answer.status === 200) return fields
    if (answer.status >= 500) throw new RelayFailed(`Something went wrong on the machine ${folder.machine}; its log has the details`)
    throw new NotFound('The machine does not have that')
  })

  app.decorateRequest('relayForm', async function (this: FastifyRequest, reply, form) {
    const place = placeOf(app, this, { session_id: form.sessionId })
    if (place === null) return false
    const { folder: { machine }, guest } = place
    const { type, body } = formAgain(form)
    const answer = await traced(this, machine, async () => await relay.send(machine, {
      method: 'POST', url: this.url, headers: { 'content-type': type }, guest, body
    }, whenGone(reply)))
    this.isRelayed = true
    passAnswer(this, reply, machine, answer)
    return true
  })

  app.addHook('onRoute', (route: RouteOptions) => {
    const before = [route.preHandler ?? []].flat()
    if (route.config?.relay === undefined || before.includes(relayed)) return
    route.preHandler = [...before, relayed]
    const response = route.schema?.response
    if (response !== undefined) route.schema = { ...route.schema, response: { ...errors(502, 503), ...fieldsOf(response) } }
  })
}, { name: 'relay', dependencies: ['config', 'sessions', 'workspace', 'chat', 'checkpoints', 'git', 'errors', 'tracing'] })
