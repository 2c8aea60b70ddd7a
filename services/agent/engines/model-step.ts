import { type JSONSchema7, type LanguageModelV3, type LanguageModelV3CallOptions, type LanguageModelV3Usage } from '@ai-sdk/provider'
import { type ModelMessage, type StepUsage, type ToolCall } from '../protocol.js'
import { type Tool } from '../tools/index.js'

type AssistantPart = Extract<ModelMessage, { role: 'assistant' }>['content'][number]

export interface StepRequest {
  model: LanguageModelV3
  prompt: ModelMessage[]
  tools: Tool[]
  /** False forbids tool calls: the last step of a turn that has used up its budget. */
  mayCallTools: boolean
  providerOptions?: LanguageModelV3CallOptions['providerOptions']
  maxOutputTokens?: number
  signal: AbortSignal
  /** How long the first piece may take, and any later one after its predecessor. */
  firstChunkMs: number
  nextChunkMs: number
  onText (text: string): void
  onReasoning (text: string): void
}

export interface StepResult {
  message: ModelMessage
  /** Calls with arguments that parsed; `invalid` ones carry the reason instead. */
  toolCalls: Array<ToolCall & { invalid?: string }>
  usage: StepUsage
}

export class ModelSilent extends Error {
  constructor (readonly afterMs: number) {
    super(`The model sent nothing for ${Math.round(afterMs / 1000)} seconds`)
    this.name = 'ModelSilent'
  }
}

export class ModelEmpty extends Error {
  constructor () {
    super('The model answered with nothing')
    this.name = 'ModelEmpty'
  }
}

/** The stream ended before the model said that it had finished. */
export class ModelCutOff extends Error {
  constructor () {
    super('The answer broke off')
    this.name = 'ModelCutOff'
  }
}

/**
 * One call of the model, streamed. Speaks the AI SDK's provider interface directly rather than through a wrapper: the
 * turn loop owns retries, tools and history anyway, and a token costs half as much processor time.
 * Throws what the provider throws, ModelSilent, ModelCutOff or ModelEmpty.
 */
export async function streamStep (request: StepRequest): Promise<StepResult> {
  const idle = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const expectWithin = (limitMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => idle.abort(new ModelSilent(limitMs)), limitMs)
  }
  const abortSignal = AbortSignal.any([request.signal, idle.signal])
  const parts = new Map<string, Extract<AssistantPart, { type: 'text' | 'reasoning' }>>()
  const content: AssistantPart[] = []
  const toolCalls: StepResult['toolCalls'] = []
  let usage: LanguageModelV3Usage | undefined
  let finished = false
  let outputChars = 0

  const part = (type: 'text' | 'reasoning', id: string) => {
    const key = `${type}:${id}`
    const known = parts.get(key)
    if (known !== undefined) return known
    const created: Extract<AssistantPart, { type: 'text' | 'reasoning' }> = { type, text: '' }
    parts.set(key, created)
    content.push(created)
    return created
  }

  try {
    expectWithin(request.firstChunkMs)
    const { stream } = await untilAborted(request.model.doStream({
      prompt: request.prompt,
      tools: request.tools.map((tool) => ({ type: 'function', name: tool.name, description: tool.description, inputSchema: tool.parameters as JSONSchema7 })),
      toolChoice: { type: request.mayCallTools ? 'auto' : 'none' },
      maxOutputTokens: request.maxOutputTokens,
      providerOptions: request.providerOptions,
      abortSignal
    }), abortSignal)
    const reader = stream.getReader()
    try {
      while (true) {
        const { done, value } = await untilAborted(reader.read(), abortSignal)
        if (done) break
        expectWithin(value.type === 'stream-start' || value.type === 'response-metadata' ? request.firstChunkMs : request.nextChunkMs)
        switch (value.type) {
          case 'text-delta':
            if (value.delta === '') break
            part('text', value.id).text += value.delta
            outputChars += value.delta.length
            request.onText(value.delta)
            break
          case 'reasoning-delta':
            if (value.providerMetadata !== undefined) part('reasoning', value.id).providerOptions = value.providerMetadata
            if (value.delta === '') break
            part('reasoning', value.id).text += value.delta
            outputChars += value.delta.length
            request.onReasoning(value.delta)
            break
          case 'text-end':
          case 'reasoning-start':
          case 'reasoning-end':
            if (value.providerMetadata !== undefined) part(value.type === 'text-end' ? 'text' : 'reasoning', value.id).providerOptions = value.providerMetadata
            break
          case 'tool-call': {
            const call = parseCall(value)
            toolCalls.push(call)
            outputChars += value.input.length
            content.push({ type: 'tool-call', toolCallId: value.toolCallId, toolName: value.toolName, input: call.args, ...(value.providerMetadata === undefined ? {} : { providerOptions: value.providerMetadata }) })
            break
          }
          case 'finish':
            usage = value.usage
            finished = value.finishReason.unified !== 'error'
            break
          case 'error':
            throw value.error
        }
      }
    } finally {
      reader.cancel().catch(() => {})
    }
  } catch (error) {
    if (idle.signal.aborted && !request.signal.aborted) throw idle.signal.reason
    throw error
  } finally {
    clearTimeout(timer)
  }
  if (!finished) throw new ModelCutOff()
  const spoken = content.filter((entry) => entry.type !== 'text' || entry.text !== '')
  if (!spoken.some((entry) => entry.type === 'text' || entry.type === 'tool-call')) throw new ModelEmpty()
  return { message: { role: 'assistant', content: spoken }, toolCalls, usage: stepUsage(usage, request.prompt, outputChars) }
}

function parseCall ({ toolCallId: id, toolName: name, input }: { toolCallId: string, toolName: string, input: string }): ToolCall & { invalid?: string } {
  try {
    const args: unknown = JSON.parse(input.trim() === '' ? '{}' : input)
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) return { id, name, args: args as Record<string, unknown> }
    return { id, name, args: {}, invalid: 'The arguments must be a JSON object.' }
  } catch {
    return { id, name, args: {}, invalid: 'The arguments were not valid JSON. Send the call again with a complete JSON object.' }
  }
}

/** A whole answer to one text, for tasks beside the turn. */
export async function generateText (
  { model, providerOptions }: { model: LanguageModelV3, providerOptions?: StepRequest['providerOptions'] },
  instruction: string, input: string, maxOutputTokens: number, abortSignal: AbortSignal
): Promise<{ text: string, usage: StepUsage }> {
  const prompt: ModelMessage[] = [{ role: 'system', content: instruction }, { role: 'user', content: [{ type: 'text', text: input }] }]
  const { content, usage } = await untilAborted(model.doGenerate({ prompt, maxOutputTokens, providerOptions, abortSignal }), abortSignal)
  const text = withoutThoughts(content.map((part) => part.type === 'text' ? part.text : '').join(''))
  return { text, usage: stepUsage(usage, prompt, text.length) }
}

/** Some models think aloud in their answer; a thought may lack its beginning or its end. */
export function withoutThoughts (text: string): string {
  const rest = text.replaceAll(/<(think|thinking)>[^]*?<\/\1>/gi, '').replace(/^[^]*<\/(?:think|thinking)>/i, '')
  return rest.replace(/<(?:think|thinking)>[^]*$/i, '').trim()
}

function stepUsage (usage: LanguageModelV3Usage | undefined, prompt: ModelMessage[], outputChars: number): StepUsage {
  const input = usage?.inputTokens.total
  const output = usage?.outputTokens.total
  const known = input !== undefined && output !== undefined
  return {
    inputTokens: input ?? Math.ceil(JSON.stringify(prompt).length / 4),
    outputTokens: output ?? Math.ceil(outputChars / 4),
    cacheReadTokens: usage?.inputTokens.cacheRead ?? 0,
    cacheWriteTokens: usage?.inputTokens.cacheWrite ?? 0,
    estimated: !known
  }
}

/** Some providers notice an abort only at their next piece; the turn must not wait for that. */
export async function untilAborted<T> (work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const promise = Promise.resolve(work)
  if (signal.aborted) {
    promise.catch(() => {})
    throw signal.reason
  }
  return await new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
