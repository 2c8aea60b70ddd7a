import {
  CLIENT_CAPABILITIES_META_KEY, fromJsonSchema, MissingRequiredClientCapabilityError, ProtocolError, ProtocolErrorCode, type McpServer,
  type ServerContext
} from '@modelcontextprotocol/server'
import { type Chat } from '../chat/index.js'
import { type Prompts } from '../prompts/index.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { Conflict, DomainError } from '../../ground/errors.js'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { type McpCaller } from './caller.js'
import { decisionOf, inputRequest, isAskable, promptId, type PromptForm } from './input-requests.js'
import { toolResult } from './results.js'
import { type McpTurnOutcome } from './turn-outcome.js'
import { standingOf, type TurnStanding, type TurnWatchOptions } from './turn-watch.js'

export interface TurnTasksOptions extends TurnWatchOptions {
  chat: Pick<Chat, 'streamStatus' | 'activeStream' | 'cancel' | 'liveRuns'>
  prompts: Pick<Prompts, 'waiting' | 'watch' | 'answerApproval' | 'answerQuestion'>
  clock: Clock
  /** Throws Conflict if a session is not available in a profile. */
  assertSessionOf: (sessionId: string, profile: string) => void
}

/** A turn as the extension shows it: in the response to the call that began it, and when it is polled later. */
interface TurnTask {
  taskId: string
  status: 'working' | 'input_required' | 'completed' | 'cancelled'
  statusMessage?: string
  createdAt: string
  lastUpdatedAt: string
  ttlMs: null
  pollIntervalMs: number
  inputRequests?: Record<string, PromptForm>
  result?: Record<string, unknown>
}

const extension = 'io.modelcontextprotocol/tasks'
const extensions = { [extension]: {} }
const pollIntervalMs = 1_000
const taskInput = fromJsonSchema<{ taskId: string }>({
  type: 'object', properties: { taskId: { type: 'string', minLength: 1, maxLength: 100 } }, required: ['taskId']
})

/** Whether the sender of a message polls turns as tasks, which each message declares. */
export const knowsTasks = (context: ServerContext): boolean => isRecord(fieldsOf(capabilitiesOf(context)['extensions'])[extension])

/**
 * Turns as tasks (`io.modelcontextprotocol/tasks`, 2026-07-28). The task is the turn itself, identified by its stream: it outlives the
 * connection and the service, and the first answer to its prompts counts, wherever it is given.
 */
export class TurnTasks {
  constructor (readonly options: TurnTasksOptions, readonly turns: Pick<McpTurnOutcome, 'outcome'>) {}

  /** Makes a server answer `tasks/get`, and `tasks/update` and `tasks/cancel` if the caller may do that. */
  serve (server: McpServer, caller: McpCaller): void {
    const { server: protocol } = server
    protocol.registerCapabilities({ extensions })
    const on = (method: string, act: (taskId: string, sessionId: string, context: ServerContext) => Promise<object>): void =>
      protocol.setRequestHandler(method, { params: taskInput }, async ({ taskId }, context) => {
        if (!knowsTasks(context)) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions } })
        return { ...await act(taskId, this.#sessionOf(taskId, caller), context) }
      })
    on('tasks/get', async (taskId, sessionId, context) => await this.task(taskId, sessionId, caller, context))
    if (caller.may('chat')) {
      on('tasks/cancel', async (taskId) => {
        this.options.chat.cancel(taskId)
        return {}
      })
    }
    if (caller.may('approve')) {
      on('tasks/update', async (taskId, sessionId, context) => {
        await this.#update(taskId, sessionId, caller, context)
        return {}
      })
    }
  }

  /** Returns the state of a turn. Throws the protocol's error for an unknown one. */
  async task (taskId: string, sessionId: string, caller: McpCaller, context: ServerContext): Promise<TurnTask> {
    const { chat, clock } = this.options
    const standing = standingOf(this.options, { streamId: taskId, sessionId, reader: { mayDecide: caller.may('approve') } })
    const { startedAt, finishedAt } = chat.streamStatus(taskId)
    return {
      taskId,
      ...await this.#state(taskId, sessionId, standing, caller, context),
      createdAt: timeOf(startedAt),
      lastUpdatedAt: timeOf(finishedAt ?? epochSeconds(clock)),
      ttlMs: null,
      pollIntervalMs
    }
  }

  async #state (
    taskId: string, sessionId: string, standing: TurnStanding, caller: McpCaller, context: ServerContext
  ): Promise<Pick<TurnTask, 'status' | 'statusMessage' | 'inputRequests' | 'result'>> {
    if (standing.state === 'parked') return { status: 'working', statusMessage: 'Waits until the limit of the provider has passed' }
    if (standing.state === 'running') return { status: 'working' }
    if (standing.state === 'ended') {
      if (standing.how === 'interrupted-by-user') return { status: 'cancelled', statusMessage: 'Someone stopped this turn' }
      return { status: 'completed', result: { resultType: 'complete', ...toolResult(await this.turns.outcome(sessionId, taskId, standing)) } }
    }
    const asked = caller.may('approve') && isRecord(capabilitiesOf(context)['elicitation']) ? standing.prompts.filter(isAskable) : []
    return asked.length === 0
      ? { status: 'working', statusMessage: 'Waits for a person to answer in the app' }
      : {
          status: 'input_required',
          inputRequests: Object.fromEntries(asked.map((prompt) => [promptId(prompt), inputRequest(prompt)]))
        }
  }

  /** Skips answers to prompts that no longer wait, as the extension requires. */
  async #update (taskId: string, sessionId: string, caller: McpCaller, { mcpReq }: ServerContext): Promise<void> {
    const { prompts, chat } = this.options
    const standing = standingOf(this.options, { streamId: taskId, sessionId, reader: { mayDecide: true } })
    const askable = standing.state === 'waiting' ? standing.prompts.filter(isAskable) : []
    const open = new Map(askable.map((prompt) => [promptId(prompt), prompt]))
    try {
      // All answers are read before any is applied: a request that is refused has no effect.
      const decided = Object.entries(mcpReq.inputResponses ?? {}).flatMap(([id, answer]) => {
        const prompt = open.get(id)
        const decision = prompt === undefined ? undefined : decisionOf(prompt, answer)
        return decision === undefined ? [] : [{ id, decision }]
      })
      for (const { id, decision } of decided) {
        if (decision.kind === 'approval') await prompts.answerApproval(sessionId, decision.choice, id, () => chat.liveRuns(sessionId))
        else await answeredOrGone(prompts.answerQuestion(sessionId, decision.response, id))
      }
    } catch (error) {
      throw error instanceof DomainError ? invalid(error.message) : error
    }
  }

  #sessionOf (taskId: string, { profile }: McpCaller): string {
    try {
      const { sessionId } = this.options.chat.streamStatus(taskId)
      this.options.assertSessionOf(sessionId, profile)
      return sessionId
    } catch (error) {
      throw error instanceof DomainError ? invalid('Task not found') : error
    }
  }
}

/** Ignores that an answer from elsewhere was faster while the earlier answers of the request were applied. */
async function answeredOrGone (answered: Promise<unknown>): Promise<void> {
  try {
    await answered
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
  }
}

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString()
const capabilitiesOf = ({ mcpReq }: ServerContext): Record<string, unknown> =>
  fieldsOf(fieldsOf(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY])
