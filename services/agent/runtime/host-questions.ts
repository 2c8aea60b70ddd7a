import { randomUUID } from 'node:crypto'
import { Value } from '@sinclair/typebox/value'
import { RelayFailed } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { mcpQueries, type McpQueryAnswer, type McpQueryBody, type McpQueryKind, type McpReply } from '../mcp/queries.js'
import { type ControlAck, type ControlBody, type SmallTaskReply, type SmallTaskRequest, type StepUsage } from '../protocol.js'
import { type HostConnection } from './connection.js'
import { OpenRequests } from './open-requests.js'

/** `relayed`: another machine has the control. */
export type RelayedAck = ControlAck & { relayed?: true }

export interface HostQuestionsOptions {
  connection: HostConnection
  log: Log
  controlTimeoutMs: number
}

/** Questions to one host, besides its runs, and its answers. */
export class HostQuestions {
  readonly #controls = new OpenRequests<ControlAck>()
  readonly #smallTasks = new OpenRequests<SmallTaskReply>()
  /** Count the usage of tasks that have no answer yet, even if it comes too late. */
  readonly #used = new Map<string, (usage: StepUsage) => void>()
  readonly #mcp = new OpenRequests<McpReply>()

  constructor (private readonly options: HostQuestionsOptions) {}

  /** How many questions have no answer yet. */
  get waiting (): number { return this.#controls.size + this.#smallTasks.size + this.#mcp.size }

  /** Whether an answer may still come, for which the host has to stay. */
  get isOpen (): boolean { return this.#smallTasks.size > 0 || this.#used.size > 0 || this.#mcp.size > 0 }

  /** Throws RelayFailed when there is no acknowledgement in time, and Conflict when another machine cannot be reached. */
  async control (body: ControlBody & { runId: string }): Promise<RelayedAck> {
    const controlId = randomUUID()
    const { connection, controlTimeoutMs } = this.options
    if (connection.control !== undefined) return { ...await connection.control({ ...body, controlId }, controlTimeoutMs), relayed: true }
    const acknowledged = this.#controls.answer(controlId, controlTimeoutMs)
    connection.send({ type: 'control', control: { ...body, controlId } })
    const ack = await acknowledged
    if (ack === null) throw new RelayFailed('The agent did not acknowledge in time', 'gateway_approval_relay_failed', { ok: false })
    return ack
  }

  /** Null when there is no answer in time. */
  async smallTask (request: Omit<SmallTaskRequest, 'requestId'>, timeoutMs: number, used?: (usage: StepUsage) => void): Promise<unknown> {
    const requestId = randomUUID()
    // The caller may have stopped waiting; the usage is counted anyway.
    if (used !== undefined) this.#used.set(requestId, used)
    const answered = this.#smallTasks.answer(requestId, timeoutMs)
    this.options.connection.send({ type: 'aux', request: { ...request, requestId } })
    const reply = await answered
    if (reply?.error !== undefined) this.options.log('a model task beside the turn failed', { reason: reply.error })
    return reply?.result ?? null
  }

  /** Asks the host about its MCP servers. Returns its answer or error; null when there is no answer in time. */
  async mcp<K extends McpQueryKind> (
    what: K, body: McpQueryBody<K>, timeoutMs: number
  ): Promise<{ answer: McpQueryAnswer<K> } | { error: string } | null> {
    const requestId = randomUUID()
    const answered = this.#mcp.answer(requestId, timeoutMs)
    this.options.connection.send({ type: 'mcp', query: { requestId, what, body } })
    const reply = await answered
    if (reply === null) return null
    if (reply.error !== undefined) return { error: reply.error }
    return Value.Check(mcpQueries[what].answer, reply.answer)
      ? { answer: reply.answer }
      : { error: 'The answer is not of its form' }
  }

  acknowledged (ack: ControlAck): void { this.#controls.settle(ack.controlId, ack) }

  mcpAnswered (reply: McpReply): void { this.#mcp.settle(reply.requestId, reply) }

  smallTaskAnswered (reply: SmallTaskReply): void {
    const { requestId, usage } = reply
    if (usage !== undefined) this.#used.get(requestId)?.(usage)
    this.#used.delete(requestId)
    this.#smallTasks.settle(requestId, reply)
  }

  /** Ends all waiting: no answer will come any more. */
  giveUp (): void {
    this.#controls.giveUp()
    this.#used.clear()
    this.#smallTasks.giveUp()
    this.#mcp.giveUp()
  }
}
