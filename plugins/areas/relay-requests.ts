import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { type Guest, type RelayedRequest } from '../../services/areas/relay/index.js'
import { fieldsOf } from '../../services/ground/fields.js'
import { remoteFolder, type RemoteFolder } from '../../services/ground/remote-folder.js'

/** Particulars of a route that the machine of the workspace answers. */
export interface Relayed {
  /** A folder may be named instead of a session. */
  takesFolder?: true
  /**
   * Attachments of the conversation are on this machine: they are looked up before the other machine is asked, or after that has not
   * found the file.
   */
  attachments?: 'before' | 'after'
  /** Tells the machine whether the agent mentions the path in the conversation. */
  tellsMention?: true
  /** It is refused while a turn is running in the folder. */
  refusedWhileWorking?: true
  /** The machine may ask for a message from a model of the service, and answers when it has got that. */
  asksModel?: true
  /** Its answer is a list of checkpoints, to which the titles of their turns are added here. */
  addsTitles?: true
}

/** The fields of a request that say where it is done. */
export interface RequestFields { session_id?: string, workspace?: string, path?: string }
export interface Place { folder: RemoteFolder, guest: Guest }

/** Headers of a request that are passed on. None of them identifies the client. */
const passedHeaders = ['accept', 'accept-encoding', 'range', 'if-range', 'if-none-match', 'if-modified-since', 'sec-fetch-dest'] as const

export function relayOf ({ routeOptions: { config: { relay } } }: FastifyRequest): Relayed {
  return relay === undefined || relay === true ? {} : relay
}

/** Returns the place of a request on another machine; null if it is on this machine or nowhere, which the route handles. */
export function placeOf (
  { checkpoints, chat, sessions, workspace: workspaces }: FastifyInstance, request: FastifyRequest,
  { session_id: id = '', workspace = '', path = '' }: RequestFields
): Place | null {
  const { takesFolder = false, tellsMention = false } = relayOf(request)
  if (id === '' ? !takesFolder : !sessions.has(id)) return null
  const { workspace: named, readOnly } = id === '' ? { workspace, readOnly: false } : sessions.folderOf(id)
  const folder = remoteFolder(named)
  if (folder === null) return null
  // Checkpoints of a folder outlive its conversations. If the folder is not known here, its machine decides whether it has any.
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

/** Returns an id that distinguishes clients without revealing anything about them. */
function clientOf ({ operator, ip }: FastifyRequest): string {
  return createHash('sha256').update(`${operator?.csrfToken ?? ''} ${ip}`).digest('hex').slice(0, 32)
}

export function headersOf ({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(passedHeaders.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  }))
}

/** Returns the address and body as they were parsed here. A named folder becomes a plain path for its machine. */
export function parsedRequest (
  request: FastifyRequest, { session_id: id = '', workspace = '' }: RequestFields, guest: Guest
): Partial<RelayedRequest> {
  const isNamed = id === '' && workspace !== ''
  if (request.method === 'POST') {
    const body = isNamed ? { ...fieldsOf(request.body), workspace: guest.workspace } : request.body
    return { body: Buffer.from(JSON.stringify(body)), headers: { ...headersOf(request), 'content-type': 'application/json' } }
  }
  if (!isNamed) return {}
  // Not parsed as a URL: one that was sent in absolute form (http://…) may be invalid.
  const { url } = request
  // The router begins a query after either character.
  const [path = url] = url.split(/[?#]/, 1)
  const query = new URLSearchParams(url.slice(path.length + 1))
  query.set('workspace', guest.workspace)
  return { url: `${path}?${query}` }
}
