import { type SmallTaskName } from '../../agent/index.js'
import { type RunKind, type SideTask } from '../../agent/protocol.js'

/**
 * What a call of a model that has a row of its own was made for; `retracted`: an answer that came to
 * nothing, and another attempt took its place.
 */
export type CallKind = 'retracted' | SideTask | SmallTaskName

const turns: Record<RunKind, true> = { chat: true, goal: true, btw: true, background: true, delegate: true, cron: true }

/** Whether a kind in the books is one of turns. */
export const isTurnKind = (kind: string): kind is RunKind => Object.hasOwn(turns, kind)
