import { chatPlan, provisionalTitle, type Chat } from '../chat/index.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { Conflict, NotFound } from '../../ground/errors.js'
import { type EventBroker } from '../../ground/events/index.js'
import { remoteFolder } from '../../ground/location.js'
import { type ModelCatalog } from '../models/index.js'
import { type Workers } from '../../ground/workers/index.js'
import { readImportBody, type NewSession, type SessionRow, type Sessions } from '../sessions/index.js'
import { noSuchModel, readAnswer, type AnswerPart } from './answer.js'
import { withInstructions, type Asked } from './asked.js'
import { Continuations } from './continuations.js'

export interface OpenAiOptions {
  chat: Pick<Chat, 'start' | 'cancel' | 'isLive' | 'latestStreams' | 'streamStatus'>
  events: Pick<EventBroker, 'subscribe'>
  models: Pick<ModelCatalog, 'isThere'>
  sessions: Pick<Sessions, 'get' | 'create' | 'bringIn' | 'remove'>
  clock: Clock
  defaultWorkspace: () => string
  workers: Workers
}

export interface AnswerWanted {
  asked: Asked
  profile: string
  /** Who asks, to tell clients apart. */
  client: string
  /** The conversation to go on with; null: one that the context belongs to, or a new one. */
  sessionId: string | null
  /** Null: the conversation's, or the profile's. */
  model: string | null
  /** What would be asked becomes a card in the app and is waited for; else it is denied. */
  attended: boolean
  showTools: boolean
  /** Aborted when nobody waits for the answer any more: its turn is cancelled then. */
  signal: AbortSignal
}

/** A turn that answers a client. */
export interface Answering {
  sessionId: string
  streamId: string
  startedAtS: number
  model: string
  /** Read once. Throws NoAnswer; ends without an end when nobody waits for it any more. */
  parts (): AsyncGenerator<AnswerPart, void>
}

/** A provider's own name for its answers; the streams of turns are named otherwise. */
const responsePrefix = 'resp_'
const waitingMs = 15_000

/** Turns for clients that speak OpenAI's interface: a conversation is found or opened, and its turn read as one plain answer. */
export function createOpenAi ({ chat, events, models, sessions, clock, defaultWorkspace, workers }: OpenAiOptions) {
  const continuations = new Continuations()

  /** The conversation to speak in. Throws NotFound. */
  async function sessionFor ({ asked, client, sessionId, profile, model }: AnswerWanted): Promise<{ session: SessionRow, isNew: boolean }> {
    if (sessionId !== null) return { session: sessions.get(sessionId), isNew: false }
    const known = continuations.take(client, asked)
    if (known !== null) {
      const row = found(known.sessionId)
      // Somebody has gone on with it in the app, or is about to: then it is not what this client means.
      if (row?.messageCount === known.messageCount && row.profile === profile && !chat.isLive(row.id)) return { session: row, isNew: false }
    }
    return { session: await open(asked, { profile, workspace: defaultWorkspace(), ...(model === null ? {} : { model }) }), isNew: true }
  }

  /** Throws NoAnswer for a model that nobody has. */
  async function assertThere ({ profile, model, sessionId }: AnswerWanted): Promise<void> {
    if (model === null) return
    const row = sessionId === null ? undefined : found(sessionId)
    // A machine that has joined has models of its own.
    const isOthers = row !== undefined && (row.model === model || remoteFolder(row.workspace) !== null)
    if (!isOthers && !await models.isThere(profile, model)) throw noSuchModel(model)
  }

  /** A new one, which begins with what was said before. */
  async function open (asked: Asked, input: NewSession): Promise<SessionRow> {
    if (asked.before.length === 0) return await sessions.create(input)
    const messages = asked.before.map(({ role, text }) => ({ role, content: text }))
    const { pieces } = await readImportBody({ bytes: Buffer.from(JSON.stringify({ messages })), nowS: epochSeconds(clock) }, workers)
    const title = provisionalTitle(messages.find(({ role }) => role === 'user')?.content ?? asked.message)
    return await sessions.bringIn({ ...input, title, pinned: false }, pieces, () => {})
  }

  function found (id: string): SessionRow | undefined {
    try {
      return sessions.get(id)
    } catch (error) {
      if (error instanceof NotFound) return undefined
      throw error
    }
  }

  return {
    /**
     * Begins to answer. Throws NoAnswer for a model that nobody lists, NotFound, Forbidden, Conflict for a conversation in which a turn is
     * running, Invalid, Unavailable.
     */
    async begin (wanted: AnswerWanted): Promise<Answering> {
      const { asked, client, model, attended, showTools, signal } = wanted
      await assertThere(wanted)
      const { session, isNew } = await sessionFor(wanted)
      const before = { input: session.inputTokens, cached: session.cacheReadTokens, output: session.outputTokens }
      const input = { message: asked.message, expanded: withInstructions(asked), attachments: [], ...(model === null ? {} : { model }) }
      const started = await chat.start({
        ...input, sessionId: session.id, explicitModelPick: false
      }, { plan: ({ id }) => ({ ...chatPlan(id, input), attended }) }).catch(async (error: unknown) => {
        // Nobody has said anything in it.
        if (isNew) await sessions.remove(session.id)
        throw error
      })
      const { streamId, sessionId, startedAtS } = started
      let isOver = false
      const giveUp = (): void => { if (!isOver) chat.cancel(streamId) }
      if (signal.aborted) giveUp()
      else signal.addEventListener('abort', giveUp, { once: true })
      return {
        sessionId,
        streamId,
        startedAtS,
        model: model ?? started.model?.ref.id ?? session.model ?? 'agent',
        async * parts () {
          const subscription = events.subscribe(streamId, 0)
          if (subscription === null) throw new NotFound('stream not found')
          try {
            for await (const part of readAnswer({ subscription, before, showTools, waitingMs, signal })) {
              if (part.kind === 'end') {
                isOver = true
                continuations.keep(client, asked, part.end.text, { sessionId, messageCount: sessions.get(sessionId).messageCount })
              }
              yield part
            }
          } finally {
            giveUp()
          }
        }
      }
    },

    /** What a response is called whose turn has this stream. */
    responseId: (streamId: string): string => `${responsePrefix}${streamId}`,

    /** The conversation that a response belongs to. Throws NotFound, and Conflict when that has gone on since. */
    sessionOfResponse (id: string): string {
      const streamId = id.startsWith(responsePrefix) ? id.slice(responsePrefix.length) : ''
      const status = /^[0-9a-f]{32}$/.test(streamId) ? statusOf(streamId) : undefined
      if (status === undefined || found(status.sessionId) === undefined) throw new NotFound(`Response not found: ${id.slice(0, 80)}`)
      if (chat.latestStreams(status.sessionId, 1)[0]?.streamId !== streamId) {
        throw new Conflict('The conversation has continued since that response. Use its latest response, or begin a new conversation')
      }
      return status.sessionId
    }
  }

  function statusOf (streamId: string) {
    try {
      return chat.streamStatus(streamId)
    } catch (error) {
      if (error instanceof NotFound) return undefined
      throw error
    }
  }
}
export type OpenAi = ReturnType<typeof createOpenAi>
