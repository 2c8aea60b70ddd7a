import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { type Guest, type RelayedRequest } from '../../services/areas/relay/index.js'
import { fieldsOf } from '../../services/ground/fields.js'
import { remoteFolder, type RemoteFolder } from '../../services/ground/location.js'

/** Particularities of a route that the workspace's machine answers. */
export interface Relayed {
  /** The request may name a folder instead of a session. */
  takesFolder?: true
  /**
   * Attachments of the conversation are on this machine. They are looked up before the machine is asked, or after it has not
   * found the file.
   */
  attachments?: 'before' | 'after'
  /** Tells the machine whether the agent mentions the path in the conversation. */
  tellsMention?: true
  /** Refuses the request while a turn is at work in the folder. */
  refusedWhileWorking?: true
  /** The machine may have a model of the service asked about changes. It answers once it has been told the result. */
  asksModel?: true
  /** The answer is a list of checkpoints; the service adds the titles of their turns. */
  addsTitles?: true
}

/** How a request names the place to work in. */
export interface Named { session_id?: string, workspace?: string, path?: string }
export interface Place { folder: RemoteFolder, guest: Guest }

/** Headers that say what the request wants, and nothing about who sent it. */
const passedHeaders = ['accept', 'accept-encoding', 'range', 'if-range', 'if-none-match', 'if-modified-since', 'sec-fetch-dest'] as const

export function relayOf ({ routeOptions: { config: { relay } } }: FastifyRequest): Relayed {
  return relay === undefined || relay === true ? {} : relay
}

/** Returns the folder and guest for a request; null if the folder is on this machine or does not exist, which the route itself handles. */
export function placeOf (
  { checkpoints, chat, sessions, workspace: workspaces }: FastifyInstance, request: FastifyRequest, { session_id: id = '', workspace = '', path = '' }: Named
): Place | null {
  const { takesFolder = false, tellsMention = false } = relayOf(request)
  if (id === '' ? !takesFolder : !sessions.has(id)) return null
  const { workspace: named, readOnly } = id === '' ? { workspace, readOnly: false } : sessions.folderOf(id)
  const folder = remoteFolder(named)
  if (folder === null) return null
  // Checkpoints of a folder outlive its conversations. For a folder that is not known here, its machine says whether it has any.
  const isKnown = id !== '' || checkpoints.isKnown(named) ||
    workspaces.list(request.activeProfile()).some((listed) => listed.path === named)
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

/** Returns a hash that distinguishes clients without revealing anything about them. */
function clientOf ({ operator, ip }: FastifyRequest): string {
  return createHash('sha256').update(`${operator?.csrfToken ?? ''} ${ip}`).digest('hex').slice(0, 32)
}

export function headersOf ({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(passedHeaders.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  }))
}

/** Returns address and body as the service has parsed them. A folder that the client named becomes a plain path on the machine. */
export function spoken (request: FastifyRequest, { session_id: id = '', workspace = '' }: Named, guest: Guest): Partial<RelayedRequest> {
  const isNamed = id === '' && workspace !== ''
  if (request.method === 'POST') {
    const body = isNamed ? { ...fieldsOf(request.body), workspace: guest.workspace } : request.body
    return { body: Buffer.from(JSON.stringify(body)), headers: { ...headersOf(request), 'content-type': 'application/json' } }
  }
  if (!isNamed) return {}
  // Not parsed as a URL: an absolute address (http://…) in the request line may not be a valid one.
  const { url } = request
  // The router treats either character as the start of the query.
  const [path = url] = url.split(/[?#]/, 1)
  const query = new URLSearchParams(url.slice(path.length + 1))
  query.set('workspace', guest.workspace)
  return { url: `${path}?${query}` }
}

export function whenGone ({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (raw.destroyed) controller.abort()
  else raw.once('close', () => controller.abort())
  return controller.signal
}
