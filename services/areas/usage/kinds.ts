import { type SmallTaskName } from '../../agent/index.js'
import { type RunKind, type SideTask } from '../../agent/protocol.js'

/** What a model call with a row of its own was made for; `retracted`: an answer that was discarded and replaced by another attempt. */
export type CallKind = 'retracted' | SideTask | SmallTaskName

const turns: Record<RunKind, true> = { chat: true, goal: true, btw: true, background: true, delegate: true, cron: true }

/** Whether a stored kind is one of turns. */
export const isTurnKind = (kind: string): kind is RunKind => Object.hasOwn(turns, kind)
