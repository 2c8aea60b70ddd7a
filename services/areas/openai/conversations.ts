import { provisionalTitle, type CallResult, type Chat } from '../chat/index.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { remoteFolder } from '../../ground/location.js'
import { type Workers } from '../../ground/workers/index.js'
import { type ModelCatalog } from '../models/index.js'
import { readImportBody, type NewSession, type SessionRow, type Sessions } from '../sessions/index.js'
import { noSuchModel } from './answer.js'
import { withInstructions, type AnswerWanted, type Asked } from './asked.js'
import { idOfCall, turnOfCall, type CallOutput } from './calls.js'
import { Continuations } from './continuations.js'
import { type Entry } from './entries.js'
import { Refused } from './failures.js'
import { type AskedImage } from './images.js'

export interface ConversationsOptions {
  chat: Pick<Chat, 'isLive' | 'latestStreams' | 'streamStatus' | 'handedOut'>
  models: Pick<ModelCatalog, 'isThere'>
  sessions: Pick<Sessions, 'get' | 'create' | 'bringIn' | 'remove'>
  clock: Clock
  defaultWorkspace: () => string
  workers: Workers
}

/** Where an answer is given, and what of the request is still to be said there. */
export interface Place {
  session: SessionRow
  isNew: boolean
  /** Results of calls that wait there. */
  results: CallResult[]
  /** What is shown with the message. */
  images: readonly AskedImage[]
  /** The context that it begins with ends with results of calls. */
  goesOn: boolean
}

/** A provider's own name for its answers; the streams of turns are named otherwise. */
const responsePrefix = 'resp_'
/** How long a client may take to answer its calls; after that, the conversation counts as abandoned. */
const callsWaitHours = 24
const imageMark = '[An image belongs here.]'

/** Returns the id of the response that a turn with this stream gives. */
export const responseId = (streamId: string): string => `${responsePrefix}${streamId}`

/** The sessions that clients of OpenAI's interface speak in. */
export function createConversations ({ chat, models, sessions, clock, defaultWorkspace, workers }: ConversationsOptions) {
  const continuations = new Continuations()

  /** A new one, which begins with what was said before. */
  async function open (asked: Asked, input: NewSession): Promise<Place> {
    const { before, outputs } = asked
    const start = { isNew: true, results: [], images: asked.images, goesOn: outputs.length > 0 }
    if (before.length === 0) {
      const [output] = outputs
      if (output !== undefined) throw new Refused(`No call with the id ${JSON.stringify(output.callId.slice(0, 100))} waits for a result here.`, 'input')
      return { ...start, session: await sessions.create(input) }
    }
    const last = before.findLastIndex(({ role }) => role === 'user')
    const messages = [...before, ...outputs.map((output): Entry => ({ role: 'tool', output }))].map((entry, index) =>
      // Without a message of its own, what the program wants goes with the one that is answered.
      toImport(entry.role === 'user' && index === last && asked.message === ''
        ? { ...entry, text: withInstructions({ instructions: asked.instructions, message: entry.text }) }
        : entry))
    const { pieces } = await readImportBody({ bytes: Buffer.from(JSON.stringify({ messages })), nowS: epochSeconds(clock) }, workers)
    const first = before.find(({ role }) => role === 'user')
    const title = provisionalTitle(first?.role === 'user' ? first.text : asked.message)
    // Earlier images have no message of their own any more: the model sees them with this one.
    const earlier = before.flatMap((entry) => entry.role === 'user' ? entry.images : [])
    return {
      ...start, session: await sessions.bringIn({ ...input, title, pinned: false }, pieces, () => {}),
      images: asked.message === '' && asked.images.length === 0 ? [] : [...earlier, ...asked.images]
    }
  }

  const found = (id: string): SessionRow | undefined => unlessMissing(() => sessions.get(id))

  /** The turn of a stream, and its session; undefined where there is none any more. */
  function turnWith (streamId: string): { streamId: string, sessionId: string } | undefined {
    const status = unlessMissing(() => chat.streamStatus(streamId))
    return status === undefined || found(status.sessionId) === undefined ? undefined : { streamId, sessionId: status.sessionId }
  }

  /** The turn that gives a response, and its session. Throws NotFound. */
  function turnOf (id: string): { streamId: string, sessionId: string } {
    const streamId = id.startsWith(responsePrefix) ? id.slice(responsePrefix.length) : ''
    const turn = /^[0-9a-f]{32}$/.test(streamId) ? turnWith(streamId) : undefined
    if (turn === undefined) throw new NotFound(`Response not found: ${id.slice(0, 80)}`)
    return turn
  }

  const isLatest = (sessionId: string, streamId: string): boolean => chat.latestStreams(sessionId, 1)[0]?.streamId === streamId

  /**
   * The calls of a session that wait for their results, with what a client has found out. Throws Refused when one is left out, or is
   * none that waits, and Conflict when they have waited for too long.
   */
  function resultsIn (sessionId: string, outputs: readonly CallOutput[]): CallResult[] {
    const [latest] = chat.latestStreams(sessionId, 1)
    const none = { calls: [], position: -1, atS: 0 }
    const waiting = latest === undefined ? none : chat.handedOut(latest.streamId)
    // A person may have removed the end of the conversation.
    const { calls, position, atS } = waiting.position < sessions.get(sessionId).messageCount ? waiting : none
    const given = new Map(outputs.map(({ callId, text }) => [callId, text]))
    const results = calls.map((call, index) => {
      const id = idOfCall(latest?.streamId ?? '', index)
      const text = given.get(id)
      if (text === undefined) throw new Refused(`No tool output found for function call ${id}.`, 'input')
      given.delete(id)
      return { call, position, text }
    })
    const [unknown] = given.keys()
    if (unknown !== undefined) throw new Refused(`No call with the id ${JSON.stringify(unknown.slice(0, 100))} waits for a result in this conversation.`, 'input')
    if (results.length > 0 && atS + callsWaitHours * 3_600 < epochSeconds(clock)) {
      throw new Conflict(`These calls have waited for their results for more than ${callsWaitHours} hours. Begin a new conversation`)
    }
    return results
  }

  return {
    /**
     * Returns where to answer: in the session that is named, one that the context belongs to, or a new one. Throws NotFound, Refused, and
     * Conflict for calls that have waited for too long.
     */
    async find ({ asked, client, sessionId, profile, model }: AnswerWanted): Promise<Place> {
      const known = { isNew: false, images: asked.images, goesOn: false }
      if (sessionId !== null) {
        const session = sessions.get(sessionId)
        return { ...known, session, results: resultsIn(session.id, asked.outputs) }
      }
      const kept = continuations.take(client, asked)
      if (kept !== null) {
        const row = found(kept.sessionId)
        // Somebody has gone on with it in the app, or is about to: then it is not what this client means.
        const isAsItWas = row?.messageCount === kept.messageCount && row.profile === profile && !chat.isLive(row.id)
        if (isAsItWas) return { ...known, session: row, results: [] }
      }
      return await open(asked, { profile, workspace: defaultWorkspace(), ...(model === null ? {} : { model }) })
    },

    /** Throws NoAnswer for a model that nobody has. */
    async assertModel ({ profile, model, sessionId }: AnswerWanted): Promise<void> {
      if (model === null) return
      const row = sessionId === null ? undefined : found(sessionId)
      // A machine that has joined has models of its own.
      const isOthers = row !== undefined && (row.model === model || remoteFolder(row.workspace) !== null)
      if (!isOthers && !await models.isThere(profile, model)) throw noSuchModel(model)
    },

    /** Remembers an answer, by which a later request of the client finds the session again. */
    keep ({ client, asked }: AnswerWanted, answer: string, sessionId: string): void {
      continuations.keep(client, asked, answer, { sessionId, messageCount: sessions.get(sessionId).messageCount })
    },

    turnOf,

    /** Throws Conflict when the calls that these results belong to have got others meanwhile, or the conversation has gone on. */
    assertWaiting (sessionId: string, results: readonly CallResult[]): void {
      const [latest] = chat.latestStreams(sessionId, 1)
      const waiting = results.length === 0 || latest === undefined ? null : chat.handedOut(latest.streamId)
      if (waiting !== null && waiting.calls.length !== results.length) throw new Conflict('These calls have their results already')
      if (waiting !== null && waiting.position !== results[0]?.position) throw new Conflict('The conversation has continued since these calls')
    },

    /** Returns the id of the session that a response belongs to. Throws NotFound, and Conflict when the session has gone on since. */
    ofResponse (id: string): string {
      const { streamId, sessionId } = turnOf(id)
      if (!isLatest(sessionId, streamId)) {
        throw new Conflict('The conversation has continued since that response. Use its latest response, or begin a new conversation')
      }
      return sessionId
    },

    /**
     * Returns the id of the session whose calls have these results. Undefined: it is not known, or has gone on since, or they have waited
     * for too long; then `before` has what is needed for a new one. Throws Conflict where it has not.
     */
    ofCalls ({ outputs, before }: Asked): string | undefined {
      const { streamId } = turnOfCall(outputs[0]?.callId ?? '') ?? {}
      const turn = streamId === undefined ? undefined : turnWith(streamId)
      if (turn === undefined) return undefined
      const isWaiting = isLatest(turn.sessionId, turn.streamId) && chat.handedOut(turn.streamId).calls.length > 0
      const isInTime = chat.handedOut(turn.streamId).atS + callsWaitHours * 3_600 >= epochSeconds(clock)
      if ((isWaiting && isInTime) || before.length === 0) {
        if (isWaiting) return turn.sessionId
        throw new Conflict('The conversation has continued since these calls were made. Begin a new conversation')
      }
      return undefined
    }
  }
}

/** As imports know messages. */
function toImport (entry: Entry): Record<string, unknown> {
  switch (entry.role) {
    case 'user': return { role: entry.role, content: [entry.text, ...entry.images.map(() => imageMark)].filter((text) => text !== '').join('\n') }
    case 'assistant': return {
      role: entry.role, content: entry.text,
      ...(entry.calls.length === 0
        ? {}
        : { tool_calls: entry.calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })) })
    }
    case 'tool': return { role: entry.role, tool_call_id: entry.output.callId, content: entry.output.text }
  }
}

function unlessMissing<T> (read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
