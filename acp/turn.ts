import { RequestError, type SessionUpdate, type StopReason } from '@agentclientprotocol/sdk'
import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, type TurnFrame, type Wire } from '../clients/typescript/src/index.js'
import { relayPrompts } from './asking.js'
import { type PromptContent } from './content.js'
import { type Editor } from './editor.js'
import { callOf, updatesOf } from './updates.js'

export interface FollowOptions {
  service: Client
  editor: Editor
  sessionId: string
  folder: string
  hasForms: boolean
  /** Aborted when the connection to the editor ends. The turn continues in the service, but its frames are no longer read here. */
  signal: AbortSignal
}

export interface TurnOptions extends FollowOptions {
  content: PromptContent
  /** Called when the turn has begun, with its stream. */
  begun: (streamId: string) => void
}

/** How long a card may precede the frame of its call: they arrive on different streams. */
const cardsAheadMs = 1_000

/** Runs one turn and sends its frames to the editor as they come. Rejects with what went wrong, in words. */
export async function runTurn (options: TurnOptions): Promise<StopReason> {
  const { service, sessionId, content } = options
  const attachments = []
  for (const image of content.images) attachments.push(await service.upload(sessionId, image))
  const started = await service.api.postOnce('/api/chat/start', {
    session_id: sessionId, message: content.text, ...(attachments.length > 0 && { attachments })
  })
  if (!('stream_id' in started)) return 'end_turn'
  options.begun(started.stream_id)
  return await followTurn(started.stream_id, options)
}

/** Sends the frames of a running turn to the editor, from the first to the last. Rejects like `runTurn`. */
export async function followTurn (
  streamId: string, { service, editor, sessionId, folder, hasForms, signal }: FollowOptions
): Promise<StopReason> {
  const tell = async (update: SessionUpdate): Promise<void> => await editor.tell(sessionId, update)
  const calls = new Map<string, Wire<'ToolStarted'>>()
  const told = new EventEmitter()
  const over = new AbortController()
  const asking = relayPrompts({
    service, editor, sessionId, hasForms,
    signal: AbortSignal.any([signal, over.signal]),
    callOf: async ({ file }) => {
      const waiting = (): Wire<'ToolStarted'> | undefined => [...calls.values()].findLast((call) => call.file === file)
      if (waiting() === undefined) await Promise.race([once(told, 'call'), delay(cardsAheadMs, undefined, { ref: false })])
      const call = waiting()
      return call === undefined ? null : callOf(call, folder)
    },
    say: async (text) => await tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  })
  // The turn itself reports failures.
  asking.catch(() => {})
  try {
    let stop: StopReason = 'end_turn'
    for await (const frame of service.turn(streamId, { signal })) {
      if (frame.event === 'tool') {
        calls.set(frame.data.id, frame.data)
        told.emit('call')
      }
      if (frame.event === 'tool_complete') calls.delete(frame.data.id)
      for (const update of updatesOf(frame, folder)) await tell(update)
      stop = stopOf(frame) ?? stop
    }
    return stop
  } finally {
    over.abort()
  }
}

/** Returns why a turn has ended; null for a frame that does not say so. Throws RequestError if the turn has failed. */
function stopOf ({ event, data }: TurnFrame): StopReason | null {
  if (event === 'cancel') return 'cancelled'
  if (event === 'apperror') {
    if ('type' in data && data.type === 'cancelled') return 'cancelled'
    const hint = 'hint' in data ? data.hint : undefined
    throw RequestError.internalError(undefined, [data.message, hint].filter((text) => typeof text === 'string').join(' '))
  }
  if (event !== 'done') return null
  if (!('terminal_state' in data)) return 'end_turn'
  if (data.terminal_state === 'tool_limit_reached') return 'max_turn_requests'
  return data.finish_reason === 'length' ? 'max_tokens' : 'end_turn'
}
