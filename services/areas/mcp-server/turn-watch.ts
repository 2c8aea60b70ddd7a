import { type chatFrames } from '../../../schemas/chat.js'
import { type Chat } from '../chat/index.js'
import { frameReader, type EventBroker } from '../../ground/events/index.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { type PendingPrompt, type Prompts, type Reader } from '../prompts/index.js'

const dataOf = frameReader<typeof chatFrames>()

export interface TurnWatchOptions {
  events: Pick<EventBroker, 'subscribe'>
  chat: Pick<Chat, 'streamStatus' | 'activeStream'>
  prompts: Pick<Prompts, 'waiting' | 'watch'>
}

/**
 * The state of a turn: `waiting` for a person, `parked` until a provider's limit has passed, still `running`, or ended, with how it ended.
 */
export type TurnStanding =
  | { state: 'waiting', prompts: PendingPrompt[] }
  | { state: 'parked' }
  | { state: 'running' }
  | { state: 'ended', how: string }

export interface WatchedTurn {
  streamId: string
  sessionId: string
  /** Decides how prompts are shown to the waiting caller. */
  reader: Reader
  limitMs: number
  signal: AbortSignal
  /** Called when a tool call begins, with a line that says what it does. */
  onStep: (line: string) => void
}

const readBytes = 256 * 1024

/** Waits until a turn is over or needs a person, at most for the time limit. Reading its frames takes nothing away from other readers. */
export async function watchTurn (
  { events, chat, prompts }: TurnWatchOptions, { streamId, sessionId, reader, limitMs, signal, onStep }: WatchedTurn
): Promise<TurnStanding> {
  const frames = events.subscribe(streamId, chat.streamStatus(streamId).lastSeq)
  const cards = (['approval', 'clarify'] as const).map((kind) => prompts.watch(sessionId, kind, reader))
  const readers = [...frames === null ? [] : [frames], ...cards]
  const limit = timeLimit(limitMs)
  const ends = [signal, limit.signal]
  let isNews = false
  let wake = (): void => {}
  const tell = (): void => {
    isNews = true
    wake()
  }
  for (const reader of readers) reader.onReadable(tell)
  for (const end of ends) end.addEventListener('abort', tell)
  try {
    for (;;) {
      isNews = false
      for (const bytes of frames?.read(readBytes) ?? []) tellStep(bytes, onStep)
      for (const card of cards) card.read(readBytes)
      const standing = standingOf({ chat, prompts }, { streamId, sessionId, reader })
      if (standing.state !== 'running' || ends.some(({ aborted }) => aborted)) return standing
      if (!isNews) await new Promise<void>((resolve) => { wake = resolve })
    }
  } finally {
    // A signal keeps its listeners alive, with everything that they reference.
    for (const end of ends) end.removeEventListener('abort', tell)
    limit.clear()
    for (const reader of readers) reader.close()
  }
}

/**
 * Returns the current state of a turn. Its last frame may be delayed by a title, so the turn counts as over once its session is free.
 * Throws NotFound for an unknown turn.
 */
export function standingOf (
  { chat, prompts }: Pick<TurnWatchOptions, 'chat' | 'prompts'>,
  { streamId, sessionId, reader }: Pick<WatchedTurn, 'streamId' | 'sessionId' | 'reader'>
): TurnStanding {
  const { active, terminalState, lastEvent } = chat.streamStatus(streamId)
  if (!active || lastEvent === 'done' || chat.activeStream(sessionId) !== streamId) return { state: 'ended', how: terminalState }
  if (terminalState === 'parked') return { state: 'parked' }
  const waiting = (['approval', 'clarify'] as const).flatMap((kind) => prompts.waiting(sessionId, kind, reader)?.prompts ?? [])
  return waiting.length > 0 ? { state: 'waiting', prompts: waiting } : { state: 'running' }
}

function tellStep (frame: Buffer, onStep: (line: string) => void): void {
  const [, json] = /^event: tool\ndata: (.*)$/m.exec(frame.toString()) ?? []
  if (json === undefined) return
  const { name, preview } = dataOf('tool', json)
  onStep(preview === null || preview === '' ? name : `${name}: ${preview}`)
}
