import { type Client, type Transport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { fieldsOf } from '../../ground/fields.js'
import { type Sampled, type ToolResult } from '../tools/tool.js'
import { definitionOf, shown, type ToolDefinition } from './definitions.js'
import { type FormEnd } from './elicitation.js'
import { NotShown } from './form-schema.js'
import { type Progress } from './progress.js'
import { resultOf } from './results.js'
import { SamplingRefused, type AskedSample } from './sampling.js'

/** What a server offers, as it was told last. */
export interface Listing {
  definitions: ToolDefinition[]
  leftOut: Array<{ tool: string, leftOut: string }>
  resources: boolean
  prompts: boolean
}
export interface McpResource { uri: string, name: string, description: string, mimeType: string }
export interface McpPrompt { name: string, description: string, arguments: Array<{ name: string, description: string, required: boolean }> }

/** A form that a server wants filled in while it works on a call. Throws NotShown. */
type Elicit = (message: string, schema: unknown) => Promise<FormEnd>

export interface ConnectionOptions {
  transport: Transport
  timeoutMs: number
  signal: AbortSignal
  /** The server says that its tools, or its prompts, are others now. */
  onChanged: () => void
  onClosed: () => void
  onError: (error: Error) => void
  elicit: Elicit
  /** Texts that it wants the model to answer; null: it is not told that it could. Throws SamplingRefused. */
  sample: ((params: AskedSample, signal: AbortSignal) => Promise<Exclude<Sampled, { refused: string }>>) | null
}

// What servers answer is read leniently, one tool at a time: the library's own forms would drop a list for one bad entry.
const toolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })
const called = z.looseObject({
  content: z.array(z.unknown()).default([]), structuredContent: z.unknown().optional(), isError: z.boolean().optional()
})
const resourcePage = z.looseObject({ resources: z.array(z.unknown()), nextCursor: z.string().optional() })
const readResource = z.looseObject({ contents: z.array(z.unknown()) })
const promptPage = z.looseObject({ prompts: z.array(z.unknown()), nextCursor: z.string().optional() })
const gotPrompt = z.looseObject({ messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })) })

const invalidParams = -32_602
const mostPages = 50
const mostTools = 2_000
const mostOthers = 500
/** The limit of one call is the caller's; this one only keeps the library from having a shorter one. */
const noLimitMs = 2 ** 31 - 1

/** A server that has said hello. */
export class Connection {
  private constructor (private readonly client: Client, private readonly timeoutMs: number) {}

  /** Rejects when the server does not say hello in time, or in a way that is not understood; nothing is left of it then. */
  static async open ({
    transport, timeoutMs, signal, onChanged, onClosed, onError, elicit, sample
  }: ConnectionOptions): Promise<Connection> {
    const { Client, ProtocolError } = await import('@modelcontextprotocol/client')
    const client = new Client({ name: 'agent-service', version: '1' }, {
      capabilities: { elicitation: { form: {} }, ...(sample === null ? {} : { sampling: {} }) },
      // A schema of the server's could hold a pattern that never ends, so whatever comes is taken for what the library expects.
      jsonSchemaValidator: { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) }
    })
    client.onclose = onClosed
    client.onerror = onError
    client.setNotificationHandler('notifications/tools/list_changed', onChanged)
    client.setNotificationHandler('notifications/prompts/list_changed', onChanged)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      if (params.mode === 'url') {
        throw new ProtocolError(invalidParams, 'This client opens no addresses for a server: it fills in forms only.')
      }
      try {
        return await elicit(params.message, params.requestedSchema)
      } catch (error) {
        throw error instanceof NotShown ? new ProtocolError(invalidParams, error.message) : error
      }
    })
    if (sample !== null) {
      client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
        try {
          const { text, model, isCut } = await sample(params, mcpReq.signal)
          return { role: 'assistant', content: { type: 'text', text }, model, stopReason: isCut ? 'maxTokens' : 'endTurn' }
        } catch (error) {
          throw error instanceof SamplingRefused ? new ProtocolError(error.code, error.message) : error
        }
      })
    }
    const stop = (): void => { void transport.close() }
    signal.addEventListener('abort', stop, { once: true })
    try {
      await client.connect(transport, { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal })
    } catch (error) {
      await transport.close().catch(() => {})
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
    return new Connection(client, timeoutMs)
  }

  async listing (): Promise<Listing> {
    const { tools, resources, prompts } = this.client.getServerCapabilities() ?? {}
    const raw = tools === undefined ? [] : await this.#pages('tools/list', toolPage, (page) => page.tools, mostTools)
    const read = raw.map(definitionOf)
    const definitions = new Map(read.flatMap((found) => 'leftOut' in found ? [] : [[found.tool, found] as const]))
    return {
      definitions: [...definitions.values()], leftOut: read.filter((found) => 'leftOut' in found).slice(0, 20),
      resources: resources !== undefined, prompts: prompts !== undefined
    }
  }

  /**
   * Aborting `signal` tells the server that nobody waits any more. `progressed`: it has told of progress. `traceparent`: the span of the
   * call, which the server may go on with.
   */
  async call (
    tool: string, args: Record<string, unknown>, signal: AbortSignal, progressed: (progress: Progress) => void, traceparent?: string
  ): Promise<ToolResult> {
    return resultOf(await this.client.request({
      method: 'tools/call', params: { name: tool, arguments: args, ...(traceparent !== undefined && { _meta: { traceparent } }) }
    }, called, { signal, timeout: noLimitMs, onprogress: progressed }))
  }

  async resources (): Promise<McpResource[]> {
    const raw = await this.#pages('resources/list', resourcePage, (page) => page.resources, mostOthers)
    return raw.map((entry) => {
      const { uri, name, description, mimeType } = fieldsOf(entry)
      return { uri: textOf(uri, 2_000), name: textOf(name, 200), description: textOf(description, 500), mimeType: textOf(mimeType, 100) }
    })
  }

  async read (uri: string, signal: AbortSignal): Promise<ToolResult> {
    const {
      contents
    } = await this.client.request({ method: 'resources/read', params: { uri } }, readResource, { signal, timeout: noLimitMs })
    return resultOf({ content: contents.map((resource) => ({ type: 'resource', resource })) })
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

  /** The text that a prompt makes of its arguments. */
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

const textOf = (value: unknown, max: number): string => typeof value === 'string' ? shown(value, max) : ''
