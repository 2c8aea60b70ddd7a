import { setTimeout } from 'node:timers/promises'
import { type Client, type ClientOptions, type RequestOptions, type StandardSchemaV1, type Transport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { asError } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { type Sampled, type ToolResult } from '../tools/tool.js'
import { ToolError } from '../tools/containment.js'
import { definitionOf, displayText, type ToolDefinition } from './definitions.js'
import { type FormEnd } from './elicitation.js'
import { NotShown } from './form-schema.js'
import { answering, mostQuestions, type AnswerInput } from './input-rounds.js'
import { type AskedUser } from './questions.js'
import { resultOf } from './results.js'
import { type RootsAnswer } from './roots.js'
import { SamplingRefused, type AskedSample } from './sampling.js'
import { pageOf, uiExtension, viewMimeType, type ViewPage } from './views.js'
import { TaskNotices } from './task-notices.js'
import { followTask, heldTask, lookAfter, stopTask, takeTasks, tasksExtension, type ServerTask, type TaskFollowing } from './tasks.js'

/** What a server offers, by its latest answer. */
export interface Listing {
  definitions: ToolDefinition[]
  leftOut: Array<{ tool: string, leftOut: string }>
  resources: boolean
  prompts: boolean
  /** Whether it may answer a call with a task. */
  tasks: boolean
}
export interface McpResource { uri: string, name: string, description: string, mimeType: string }
export interface McpPrompt { name: string, description: string, arguments: Array<{ name: string, description: string, required: boolean }> }

/** Asks a person on behalf of a server that works on a call. Throws NotShown. */
type Elicit = (asked: AskedUser) => Promise<FormEnd>
/** How a call is made, and how a task that results from it is followed. */
type Calling = TaskFollowing & { traceparent?: string | undefined }

export interface ConnectionOptions {
  transport: Transport
  timeoutMs: number
  signal: AbortSignal
  /** Called when the server says that its tools or prompts have changed. */
  onChanged: () => void
  onClosed: () => void
  onError: (error: Error) => void
  /** Whether it is known not to support a version of 2026 or later, so that it is not asked for one. */
  isLegacy: boolean
  elicit: Elicit
  /** Called when a person has done what they were asked to do at an address. */
  completed: (elicitationId: unknown) => void
  /** Asks the model for the server; null: the server is not told that it can. Throws SamplingRefused. */
  sample: ((params: AskedSample, signal: AbortSignal) => Promise<Exclude<Sampled, { refused: string }>>) | null
  /** Returns the folders that the server may know; null: the server is not told that there are any. */
  roots: (() => RootsAnswer) | null
}

// Answers of servers are read leniently, one tool at a time: the library's own schemas would reject a list for one bad entry.
const toolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })
const called = z.looseObject({
  content: z.array(z.unknown()).default([]), structuredContent: z.unknown().optional(), isError: z.boolean().optional()
})
const resourcePage = z.looseObject({ resources: z.array(z.unknown()), nextCursor: z.string().optional() })
const readResource = z.looseObject({ contents: z.array(z.unknown()) })
const promptPage = z.looseObject({ prompts: z.array(z.unknown()), nextCursor: z.string().optional() })
const gotPrompt = z.looseObject({ messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })) })

const invalidParams = -32_602
const pagesFirst = -32_042
const mostPages = 50
const mostTools = 2_000
const mostOthers = 500
/** How long to wait for a server that does not know the question about its version, and does not answer it. */
const longestProbeMs = 5_000
const mostListens = 20
const listenAgainMs = 30_000
/** The caller sets the limit of a call; this value only keeps the library from applying a shorter one. */
const noLimitMs = 2 ** 31 - 1

/** A connection to a server after the handshake. */
export class Connection {
  readonly #notices: TaskNotices
  /** The folders that the server asked for last, as one text; null: it has not asked since they changed. */
  #toldRoots: string | null = null

  private constructor (
    private readonly client: Client, private readonly timeoutMs: number, private readonly roots: ConnectionOptions['roots']
  ) {
    this.#notices = new TaskNotices(client, timeoutMs)
  }

  /** Connects. Rejects if the handshake takes too long or is not understood; the transport is closed then. */
  static async open (options: ConnectionOptions): Promise<Connection> {
    const { transport, timeoutMs, signal, onChanged, onClosed, onError, isLegacy, completed } = options
    const { Client } = await import('@modelcontextprotocol/client')
    const client = new Client({ name: 'agent-service', version: '1' }, clientOptions(options))
    client.onclose = onClosed
    client.onerror = onError
    client.setNotificationHandler('notifications/tools/list_changed', onChanged)
    client.setNotificationHandler('notifications/prompts/list_changed', onChanged)
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => completed(params.elicitationId))
    const connection = new Connection(client, timeoutMs, options.roots)
    await answerRequests(client, options, () => connection.#rootsAnswer())
    const stop = (): void => { void transport.close() }
    signal.addEventListener('abort', stop, { once: true })
    try {
      await client.connect(transport, { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal, ...(isLegacy ? { prior: { kind: 'legacy' } } : {}) })
    } catch (error) {
      await transport.close().catch(() => {})
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
    takeTasks(transport)
    connection.#listen(onError)
    return connection
  }

  /** Whether it uses a version of 2026 or later, where requests share no state and a server asks questions in its answers. */
  get isModern (): boolean { return this.client.getProtocolEra() === 'modern' }

  /** Tells a server that has asked for its folders that they have changed since. A modern server asks during each call. */
  async tellRoots (): Promise<void> {
    if (this.#toldRoots === null || this.isModern || JSON.stringify(this.roots?.()) === this.#toldRoots) return
    this.#toldRoots = null
    await this.client.sendRootsListChanged()
  }

  #rootsAnswer (): RootsAnswer {
    const answer = this.roots?.() ?? { roots: [] }
    this.#toldRoots = JSON.stringify(answer)
    return answer
  }

  async listing (): Promise<Listing> {
    const { tools, resources, prompts, extensions } = this.client.getServerCapabilities() ?? {}
    const raw = tools === undefined ? [] : await this.#tools()
    const read = raw.map(definitionOf)
    const definitions = new Map(read.flatMap((found) => 'leftOut' in found ? [] : [[found.tool, found] as const]))
    return {
      definitions: [...definitions.values()], leftOut: read.filter((found) => 'leftOut' in found).slice(0, 20),
      resources: resources !== undefined, prompts: prompts !== undefined, tasks: this.isModern && extensions?.[tasksExtension] !== undefined
    }
  }

  /**
   * Calls a tool. Aborting `signal` cancels the request at the server. `traceparent`: the span of the call, which the server may continue.
   * Throws ToolError for a server that never stops asking, and for a task that failed.
   */
  async call (tool: string, args: Record<string, unknown>, { traceparent, ...following }: Calling): Promise<ToolResult> {
    const { signal, progressed, answer } = following
    const options = { signal, timeout: noLimitMs, onprogress: progressed }
    const params = { name: tool, arguments: args, ...(traceparent !== undefined && { _meta: { traceparent } }) }
    if (!this.isModern) {
      return resultOf(await this.#afterPages(answer, signal, async () =>
        await this.client.request({ method: 'tools/call', params }, called, options)))
    }
    // The library's own call sends arguments as headers if the tool's definition wants that.
    const result = called.parse(await answering(params, signal, answer, async (asked) =>
      await this.client.callTool(asked, { ...options, allowInputRequired: true })))
    const task = heldTask(result)
    return task === null ? resultOf(result) : await this.#outcome(task, following)
  }

  /** Waits again for a task of an earlier call, and returns its result. Throws ToolError, and errors of the server. */
  async task (id: string, following: TaskFollowing): Promise<ToolResult> {
    return await this.#outcome(await lookAfter(this.client, id, { signal: following.signal, timeout: this.timeoutMs }), following)
  }

  /** Asks the server to stop a task. The server need not comply. */
  async stopTask (id: string): Promise<ToolResult> {
    await stopTask(this.client, id, this.timeoutMs)
    return { text: 'The server was asked to stop this task.' }
  }

  async #outcome (task: ServerTask, following: TaskFollowing): Promise<ToolResult> {
    const { client, timeoutMs } = this
    const followed = await followTask({ client, timeoutMs, notices: this.#notices }, task, following)
    if ('result' in followed) {
      const { success, data } = called.safeParse(followed.result)
      if (!success) throw new ToolError('Its task is over, and what it answered is no result of a tool.')
      return resultOf(data)
    }
    const { id, message } = followed.goesOn
    return {
      text: [
        `The server goes on with this as its task ${JSON.stringify(id)}, which survives this turn.`, ...message === '' ? [] : [`It says: ${message}`],
        'Look at it later with mcp_task, also in another turn; nobody is told by itself when it is over.'
      ].join('\n')
    }
  }

  async resources (): Promise<McpResource[]> {
    const raw = await this.#pages('resources/list', resourcePage, (page) => page.resources, mostOthers)
    return raw.map((entry) => {
      const { uri, name, description, mimeType } = fieldsOf(entry)
      return { uri: textOf(uri, 2_000), name: textOf(name, 200), description: textOf(description, 500), mimeType: textOf(mimeType, 100) }
    })
  }

  async read (uri: string, signal: AbortSignal, answer: AnswerInput): Promise<ToolResult> {
    const { contents } = await answering({ uri }, signal, answer, async (params) =>
      await this.#request({ method: 'resources/read', params }, readResource, { signal, timeout: noLimitMs }))
    return resultOf({ content: contents.map((resource) => ({ type: 'resource', resource })) })
  }

  /** Reads the document of a view. Throws ToolError if it is not one. */
  async page (uri: string, signal: AbortSignal): Promise<ViewPage> {
    const { contents } = await this.client.request({ method: 'resources/read', params: { uri } }, readResource, { signal, timeout: this.timeoutMs })
    return pageOf(contents, uri)
  }

  async prompts (): Promise<McpPrompt[]> {
    const raw = await this.#pages('prompts/list', promptPage, (page) => page.prompts, mostOthers)
    return raw.flatMap((entry) => {
      const { name, description, arguments: args } = fieldsOf(entry)
      if (typeof name !== 'string' || name === '' || name.length > 128) return []
      const read = (Array.isArray(args) ? args : []).slice(0, 20).map((arg) => {
        const { name, description, required } = fieldsOf(arg)
        return { name: textOf(name, 128), description: textOf(description, 500), required: required === true }
      })
      return [{ name, description: textOf(description, 500), arguments: read }]
    })
  }

  /** Returns the text of a prompt with these arguments. */
  async prompt (name: string, args: Record<string, string>): Promise<string> {
    const {
      messages
    } = await this.client.request({ method: 'prompts/get', params: { name, arguments: args } }, gotPrompt, { timeout: this.timeoutMs })
    return messages.slice(0, 50).map(({ role, content }) => {
      const { text } = resultOf({ content: [content] })
      return messages.length > 1 && role !== 'user' ? `[${role === 'assistant' ? 'assistant' : 'other'}]\n${text}` : text
    }).join('\n\n')
  }

  async close (): Promise<void> {
    await this.client.close().catch(() => {})
  }

  /** Sends a call, and sends it again after a person has opened the pages that a server of the 2025 version wants opened first. */
  async #afterPages<T> (answer: AnswerInput, signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    try {
      return await send()
    } catch (error) {
      const { code, data } = fieldsOf(error)
      const { elicitations } = fieldsOf(data)
      const isAsked = code === pagesFirst && Array.isArray(elicitations) && elicitations.length > 0 && elicitations.length <= mostQuestions
      if (!isAsked) throw error
      for (const params of elicitations) {
        const { action } = await answer({ method: 'elicitation/create', params: { ...fieldsOf(params), mode: 'url' } }, signal)
        if (action !== 'accept') throw new ToolError('It wants a page opened first, and nobody did that.')
      }
      return await send()
    }
  }

  /** Sends a request. The server may answer that it needs to know something first. */
  async #request<T> (request: { method: 'resources/read', params: Record<string, unknown> }, form: z.ZodType<T>, options: RequestOptions): Promise<T> {
    return await this.client.request(request, form as StandardSchemaV1<unknown, T>, { ...options, allowInputRequired: this.isModern })
  }

  /** Lists the tools. With modern servers the library must read the list, because what it sends with a call depends on it. */
  async #tools (): Promise<unknown[]> {
    if (!this.isModern) return await this.#pages('tools/list', toolPage, (page) => page.tools, mostTools)
    return (await this.client.listTools(undefined, { timeout: this.timeoutMs, cacheMode: 'refresh' })).tools.slice(0, mostTools)
  }

  /** Subscribes to changes: since the version of 2026 a server reports them only to clients that subscribe. */
  #listen (onError: (error: Error) => void): void {
    const { tools, prompts } = this.client.getServerCapabilities() ?? {}
    const filter = {
      ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged === true ? { promptsListChanged: true } : {})
    }
    if (!this.isModern || Object.keys(filter).length === 0) return
    void (async () => {
      for (let times = 0; times < mostListens; times++) {
        const subscription = await this.client.listen(filter, { timeout: this.timeoutMs })
        if (await subscription.closed === 'local' || this.client.transport === undefined) return
        await setTimeout(listenAgainMs, undefined, { ref: false })
      }
    })().catch((error: unknown) => { if (this.client.transport !== undefined) onError(asError(error)) })
  }

  async #pages<P extends { nextCursor?: string | undefined }> (
    method: 'tools/list' | 'resources/list' | 'prompts/list', form: z.ZodType<P>, itemsOf: (page: P) => unknown[], most: number
  ): Promise<unknown[]> {
    const items: unknown[] = []
    let cursor: string | undefined
    for (let page = 0; page < mostPages && items.length < most; page++) {
      const found: P = await this.client.request({
        method, params: cursor === undefined ? {} : { cursor }
      }, form, { timeout: this.timeoutMs })
      items.push(...itemsOf(found))
      if (found.nextCursor === undefined || found.nextCursor === cursor) break
      cursor = found.nextCursor
    }
    return items.slice(0, most)
  }
}

function clientOptions ({ timeoutMs, sample, roots, isLegacy }: ConnectionOptions): ClientOptions {
  return {
    capabilities: {
      elicitation: { form: {}, url: {} },
      extensions: { [tasksExtension]: {}, [uiExtension]: { mimeTypes: [viewMimeType] } },
      ...(sample === null ? {} : { sampling: {} }),
      ...(roots === null ? {} : { roots: { listChanged: true } })
    },
    // A server's schema could contain a pattern that takes forever to match, so answers are not validated against it.
    jsonSchemaValidator: { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) },
    versionNegotiation: isLegacy ? { mode: 'legacy' } : { mode: 'auto', probe: { timeoutMs: Math.min(longestProbeMs, timeoutMs) } },
    // Only the sender of a request knows whose question it is.
    inputRequired: { autoFulfill: false },
    listMaxPages: mostPages
  }
}

/** Answers requests that servers of versions before 2026 send on their own. */
async function answerRequests (
  client: Client, { elicit, sample, roots }: ConnectionOptions, rootsAnswer: () => RootsAnswer
): Promise<void> {
  const { ProtocolError } = await import('@modelcontextprotocol/client')
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    try {
      return await elicit(params)
    } catch (error) {
      throw error instanceof NotShown ? new ProtocolError(invalidParams, error.message) : error
    }
  })
  if (roots !== null) client.setRequestHandler('roots/list', async () => ({ ...rootsAnswer() }))
  if (sample === null) return
  client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
    try {
      const { text, model, isCut } = await sample(params, mcpReq.signal)
      return { role: 'assistant', content: { type: 'text', text }, model, stopReason: isCut ? 'maxTokens' : 'endTurn' }
    } catch (error) {
      throw error instanceof SamplingRefused ? new ProtocolError(error.code, error.message) : error
    }
  })
}

const textOf = (value: unknown, max: number): string => typeof value === 'string' ? displayText(value, max) : ''
