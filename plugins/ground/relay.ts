import { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { createHash } from 'node:crypto'
import { CheckpointList } from '../../schemas/checkpoints.js'
import { errors } from '../../schemas/errors.js'
import { NotFound, RelayFailed } from '../../services/ground/errors.js'
import { fieldsOf } from '../../services/ground/fields.js'
import { remoteFolder, type RemoteFolder } from '../../services/ground/location.js'
import {
  createRelay, questionHeader, type Guest, type RelayOptions, type RelayedAnswer, type RelayedRequest
} from '../../services/areas/relay/index.js'
import { type CommitMaterial } from '../../services/workspace/git/index.js'
import { hasAttachment, isAttachment } from '../../services/workspace/index.js'
import { askForMessage } from '../areas/git.js'
import { passAnswer, wholeJson } from './relay-answers.js'
import { formAgain, type ReadForm } from './relay-forms.js'

/** What is particular to a route that the machine of its workspace answers. */
interface Relayed {
  /** A folder may be named in place of a session. */
  takesFolder?: true
  /**
   * What was attached to the conversation lies here: it is looked for before the machine is asked, or after that has not found the file.
   */
  attachments?: 'before' | 'after'
  /** The machine is told whether the agent names the path in the conversation. */
  tellsMention?: true
  /** It is refused while a turn is at work in the folder. */
  refusedWhileWorking?: true
  /** The machine may have a model of the service asked about changes, and answers when it has been told what that said. */
  asksModel?: true
  /** Its answer is a list of checkpoints, which get the titles of their turns here. */
  addsTitles?: true
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Where the workspace is a folder of another machine, that machine answers the route; one that takes a form calls `relayForm` when it
     * has read it. A machine answers routes that say this, and no others.
     */
    relay?: true | Relayed
  }
  interface FastifyInstance {
    /**
     * What the machine answers that has the folder of a session, for the service itself; null where the folder is on this machine. Throws
     * NotFound for what it does not have, Unavailable when it does not answer, and RelayFailed.
     */
    askFolder: (sessionId: string, route: string, query: Record<string, string>) => Promise<Record<string, unknown> | null>
  }
  interface FastifyRequest {
    /** Its answer was made on another machine: finished text, whatever the route says. */
    isRelayed: boolean
    /** Passes a form on that was read; false where its session works in a folder of this machine. */
    relayForm?: (reply: FastifyReply, form: ReadForm) => Promise<boolean>
  }
}

/** What a request says of where it is to be done. */
interface Named { session_id?: string, workspace?: string, path?: string }
interface Place { folder: RemoteFolder, guest: Guest }

/** Headers of a request that say what is wanted; nothing that says who wants it. */
const passedHeaders = ['accept', 'accept-encoding', 'range', 'if-range', 'if-none-match', 'if-modified-since', 'sec-fetch-dest'] as const
const longestMaterialChars = 400_000

/**
 * Routes that work in a workspace are answered by the machine that it lies on. This stands behind everything that a route asks of
 * a client, and before its handler: who may do it is settled here, what it does is done there.
 */
export default fp<RelayOptions>(async (app: FastifyInstance, options) => {
  const { chat, checkpoints, config, sessions } = app
  const relay = createRelay(options)
  const ask = askForMessage(app)
  app.decorateRequest('isRelayed', false)

  /** Null where it is on this machine, or nowhere: that is for the route to say. */
  function placeOf (request: FastifyRequest, { session_id: id = '', workspace = '', path = '' }: Named): Place | null {
    const { takesFolder = false, tellsMention = false } = relayOf(request)
    if (id === '' ? !takesFolder : !sessions.has(id)) return null
    const { workspace: named, readOnly } = id === '' ? { workspace, readOnly: false } : sessions.folderOf(id)
    const folder = remoteFolder(named)
    if (folder === null) return null
    // What was kept of a folder outlives its conversations: whether it has any of one that is not known here, its machine says.
    const isKnown = id !== '' || checkpoints.isKnown(named) ||
      app.workspace.list(request.activeProfile()).some((listed) => listed.path === named)
    const isLive = id !== '' && chat.isLive(id)
    const isMentioned = id !== '' && tellsMention && sessions.mentions(id, path)
    const profile = id === '' ? request.activeProfile() : sessions.get(id).profile
    const scope = request.operator?.scope
    const guest = {
      sessionId: id, profile, workspace: folder.path, readOnly, isKnown, isLive, client: clientOf(request), isMentioned,
      ...(scope !== undefined && { scope })
    }
    return { folder, guest }
  }

  /** Sends a request to the machine that has its folder, and its client what that answers; false where it is to be answered here. */
  async function forward (request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    // Which session a form is for is known when its route has read it, which passes it on then.
    if (request.isMultipart?.() === true) return false
    const { attachments, refusedWhileWorking = false, asksModel = false, addsTitles = false } = relayOf(request)
    const { method } = request
    // The schema of its route has held, in which these are texts.
    const named = { ...(request.query as Named), ...(method === 'POST' ? request.body as Named : {}) }
    const place = placeOf(request, named)
    if (place === null || (attachments === 'before' && isAttachment(config.stateDir, place.guest.sessionId, named.path ?? ''))) return false
    const { folder: { host }, guest } = place
    if (refusedWhileWorking) checkpoints.refuseWhileWorking(`${host}:${guest.workspace}`)
    const signal = whenGone(reply)
    const asked: RelayedRequest = {
      method, url: request.url, headers: headersOf(request), guest, body: null, ...spoken(request, named, guest)
    }
    let answer = await relay.send(host, asked, signal)
    if (asksModel && answer.headers[questionHeader] !== undefined) {
      answer = await relay.send(host, { ...asked, guest: { ...guest, said: await ask(guest.sessionId, materialOf(host, answer)) } }, signal)
    }
    if (attachments === 'after' && (answer.status === 403 || answer.status === 404) &&
      hasAttachment(config.stateDir, guest.sessionId, named.path ?? '')) return false
    if (addsTitles && answer.status === 200) {
      reply.send(withTitles(request, host, answer))
      return true
    }
    request.isRelayed = true
    passAnswer(request, reply, host, answer)
    return true
  }

  // Not by a promise of the answer: one that its client has left would seem to be none, and the handler would run.
  const relayed = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    forward(request, reply).then((isForwarded) => { if (!isForwarded) done() }, done)
  }

  app.decorate('askFolder', async (id, route, query) => {
    const { workspace, readOnly } = sessions.folderOf(id)
    const folder = remoteFolder(workspace)
    if (folder === null) return null
    const { profile } = sessions.get(id)
    const answer = await relay.send(folder.host, {
      method: 'GET', url: `${route}?${new URLSearchParams({ ...query, session_id: id })}`, headers: {}, body: null,
      guest: {
        sessionId: id, profile, workspace: folder.path, readOnly, isKnown: true, isLive: chat.isLive(id), client: '', isMentioned: false
      }
    }, new AbortController().signal)
    const fields = wholeJson(folder.host, answer)
    if (answer.status === 200) return fields
    if (answer.status >= 500) throw new RelayFailed(`Something went wrong on the machine ${folder.host}; its log has the details`)
    throw new NotFound('The machine does not have that')
  })

  app.decorateRequest('relayForm', async function (this: FastifyRequest, reply, form) {
    const place = placeOf(this, { session_id: form.sessionId })
    if (place === null) return false
    const { folder: { host }, guest } = place
    const { type, body } = formAgain(form)
    const answer = await relay.send(host, {
      method: 'POST', url: this.url, headers: { 'content-type': type }, guest, body
    }, whenGone(reply))
    this.isRelayed = true
    passAnswer(this, reply, host, answer)
    return true
  })

  /** What was said is known here, what was kept is known there. */
  function withTitles (request: FastifyRequest, host: string, answer: RelayedAnswer): object {
    const list = wholeJson(host, answer)
    const titled = Array.isArray(list.checkpoints)
      ? {
          ...list,
          checkpoints: list.checkpoints.map(fieldsOf).map((entry) => ({
            ...entry, title: typeof entry.stream_id === 'string' ? checkpoints.titleOf(entry.stream_id) : ''
          })),
          workspace: `${host}:${String(list.workspace)}`
        }
      : null
    if (titled === null || !request.validateInput(titled, CheckpointList)) {
      throw new RelayFailed(`${host} sent an invalid answer`)
    }
    return titled
  }

  app.addHook('onRoute', (route: RouteOptions) => {
    const before = [route.preHandler ?? []].flat()
    if (route.config?.relay === undefined || before.includes(relayed)) return
    route.preHandler = [...before, relayed]
    const response = route.schema?.response
    if (response !== undefined) route.schema = { ...route.schema, response: { ...errors(502, 503), ...fieldsOf(response) } }
  })
}, { name: 'relay', dependencies: ['config', 'sessions', 'workspace', 'chat', 'checkpoints', 'git', 'errors'] })

function relayOf ({ routeOptions: { config: { relay } } }: FastifyRequest): Relayed {
  return relay === undefined || relay === true ? {} : relay
}

/** Tells clients from each other without saying anything about them. */
function clientOf ({ operator, ip }: FastifyRequest): string {
  return createHash('sha256').update(`${operator?.csrfToken ?? ''} ${ip}`).digest('hex').slice(0, 32)
}

function headersOf ({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(passedHeaders.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  }))
}

/** Address and body as they were understood here. A folder that was named is a plain path there. */
function spoken (request: FastifyRequest, { session_id: id = '', workspace = '' }: Named, guest: Guest): Partial<RelayedRequest> {
  const isNamed = id === '' && workspace !== ''
  if (request.method === 'POST') {
    const body = isNamed ? { ...fieldsOf(request.body), workspace: guest.workspace } : request.body
    return { body: Buffer.from(JSON.stringify(body)), headers: { ...headersOf(request), 'content-type': 'application/json' } }
  }
  if (!isNamed) return {}
  // No address is made of it: one that was written as a whole (http://…) may be none.
  const { url } = request
  // The router begins a query behind either sign.
  const [path = url] = url.split(/[?#]/, 1)
  const query = new URLSearchParams(url.slice(path.length + 1))
  query.set('workspace', guest.workspace)
  return { url: `${path}?${query}` }
}

function whenGone ({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (raw.destroyed) controller.abort()
  else raw.once('close', () => controller.abort())
  return controller.signal
}

function materialOf (host: string, answer: RelayedAnswer): CommitMaterial {
  const { diff, files, truncated } = wholeJson(host, answer)
  if (typeof diff !== 'string' || !Array.isArray(files) || !files.every((file) => typeof file === 'string')) {
    throw new RelayFailed(`${host} sent an invalid answer`)
  }
  return { diff: diff.slice(0, longestMaterialChars), files, truncated: truncated === true }
}
