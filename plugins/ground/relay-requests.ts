import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { type Guest, type RelayedRequest } from '../../services/areas/relay/index.js'
import { fieldsOf } from '../../services/ground/fields.js'
import { remoteFolder, type RemoteFolder } from '../../services/ground/location.js'

/** What is particular to a route that the machine of its workspace answers. */
export interface Relayed {
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

/** What a request says of where it is to be done. */
export interface Named { session_id?: string, workspace?: string, path?: string }
export interface Place { folder: RemoteFolder, guest: Guest }

/** Headers of a request that say what is wanted; nothing that says who wants it. */
const passedHeaders = ['accept', 'accept-encoding', 'range', 'if-range', 'if-none-match', 'if-modified-since', 'sec-fetch-dest'] as const

export function relayOf ({ routeOptions: { config: { relay } } }: FastifyRequest): Relayed {
  return relay === undefined || relay === true ? {} : relay
}

/** Null where it is on this machine, or nowhere: that is for the route to say. */
export function placeOf (
  { checkpoints, chat, sessions, workspace: workspaces }: FastifyInstance, request: FastifyRequest, { session_id: id = '', workspace = '', path = '' }: Named
): Place | null {
  const { takesFolder = false, tellsMention = false } = relayOf(request)
  if (id === '' ? !takesFolder : !sessions.has(id)) return null
  const { workspace: named, readOnly } = id === '' ? { workspace, readOnly: false } : sessions.folderOf(id)
  const folder = remoteFolder(named)
  if (folder === null) return null
  // What was kept of a folder outlives its conversations: whether it has any of one that is not known here, its machine says.
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

/** Tells clients from each other without saying anything about them. */
function clientOf ({ operator, ip }: FastifyRequest): string {
  return createHash('sha256').update(`${operator?.csrfToken ?? ''} ${ip}`).digest('hex').slice(0, 32)
}

export function headersOf ({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(passedHeaders.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  }))
}

/** Address and body as they were understood here. A folder that was named is a plain path there. */
export function spoken (request: FastifyRequest, { session_id: id = '', workspace = '' }: Named, guest: Guest): Partial<RelayedRequest> {
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

export function whenGone ({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (raw.destroyed) controller.abort()
  else raw.once('close', () => controller.abort())
  return controller.signal
}
