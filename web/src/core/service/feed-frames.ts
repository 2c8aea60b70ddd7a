import { type Wire } from './api.js'

/** A frame of `GET /api/events`. */
export type FeedFrame = Wire<'FeedEvent'>
/** A frame of a turn, as in its own stream. */
export type TurnFrame = Wire<'ChatEvent'>

type Of<Event extends FeedFrame['event']> = Extract<FeedFrame, { event: Event }>['data']
export type FolderNews = Of<'folder'>

/** `lost`: reconnecting is tried automatically. `refused`: the sign-in has ended. */
export type LinkState = 'connecting' | 'open' | 'lost' | 'refused'

const terminal: ReadonlySet<string> = new Set(['stream_end', 'cancel', 'apperror', 'error'])

/** Whether this frame is the last of its turn. */
export const isTerminal = (event: string): boolean => terminal.has(event)
