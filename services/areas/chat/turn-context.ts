import { type AgentRuntime, type SystemPrompt } from '../../agent/index.js'
import { type ModelRef } from '../../agent/protocol.js'
import { type Listeners } from '../../ground/listeners.js'
import { type Log } from '../../ground/log.js'
import { type Budgets } from '../budgets/index.js'
import { type ChosenModel, type TurnTask } from '../models/index.js'
import { type SessionRow } from '../sessions/index.js'
import { type RunSpecOptions } from './run-spec.js'
import { type TurnEvents } from './turn-events.js'
import { type RecorderOptions } from './turn-recorder.js'

export type ModelName = Pick<ModelRef, 'provider' | 'id'>

/** What every turn needs. */
export interface TurnContext extends Omit<RecorderOptions, 'onRefused'>, RunSpecOptions {
  agent: AgentRuntime
  budgets: Budgets
  listeners: Listeners<TurnEvents>
  systemPrompt: (session: SessionRow) => Promise<SystemPrompt>
  /** Returns the model that replaces those that were tried; null if there is none. */
  fallback: (session: SessionRow, tried: readonly ModelName[]) => Promise<ChosenModel | null>
  /** Returns the model that does a small task for the answering one; null if there is none. */
  smallTaskModel: (session: SessionRow, task: TurnTask, beside: ModelName) => Promise<ChosenModel | null>
  log: Log
}
