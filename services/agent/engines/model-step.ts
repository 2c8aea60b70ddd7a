import {
  type LanguageModelV4, type LanguageModelV4CallOptions, type LanguageModelV4FinishReason, type LanguageModelV4StreamPart,
  type LanguageModelV4Usage
} from '@ai-sdk/provider'
import { after } from '../../ground/concurrency/after.js'
import { type CutShort, type ModelMessage, type SamplingOptions, type StepUsage } from '../protocol.js'
import { breather } from './breather.js'
import { asCounted, reportedAtEnd, reportedIn, withLater, type Reported } from './reported-usage.js'
import { assertSupported } from './sampling-options.js'
import { StepContent, type HeardCall } from './step-content.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'

/** How long the service waits for the end of a failed answer, which reports its usage. */
const lastWordMs = 1_000

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

/** A tool as a model is shown it; `parameters` is a JSON Schema. */
export interface OfferedTool { name: string, description: string, parameters: object, strict?: boolean | undefined }

export interface StepRequest {
  model: LanguageModelV4
  prompt: ModelMessage[]
  tools: OfferedTool[]
  /** False forbids tool calls, in the last step that a turn may take. */
  mayCallTools: boolean
  /** The tool that it has to call, if it may call any; if absent, it decides. */
  toolChoice?: LanguageModelV4CallOptions['toolChoice']
  responseFormat?: LanguageModelV4CallOptions['responseFormat']
  providerOptions?: LanguageModelV4CallOptions['providerOptions']
  /** Headers in addition to those of the model. */
  headers?: Record<string, string> | undefined
  maxOutputTokens?: number | undefined
  sampling?: SamplingOptions | undefined
  signal: AbortSignal
  /** How long the first piece may take, and each later one after the piece before it. */
  firstChunkMs: number
  nextChunkMs: number
  /** How many characters the turn has left for this answer. */
  turnRoom: number
  /** Called for each piece of the answer, of any kind, before it is passed on. */
  onSign (): void
  onText (text: string): void
  onReasoning (text: string): void
  /** Called before the step throws, with the usage that the provider reported. Not called if the turn is cancelled. */
  onWasted (usage: StepUsage): void
  /** Returns a promise to await before more is read, if the receivers cannot keep up; else undefined. */
  drained (): Promise<void> | undefined
}

/** Why a model's answer may be cut short. */
export type CutReason = Exclude<CutShort['reason'], 'budget_exhausted'>

export interface StepResult {
  message: ModelMessage
  toolCalls: HeardCall[]
  usage: StepUsage
  /** How many characters the answer had, including the arguments of calls. */
  chars: number
  /** Set if the answer ended before the model had finished it. It may be empty then, and a call in it incomplete. */
  cut?: CutReason
  /** Why the answer ended, and which model gave it if the provider says so. */
  finishReason: string
  answeredBy?: string | undefined
}

class ModelSilent extends Error {
  constructor (readonly afterMs: number) {
    super(`The model sent nothing for ${Math.round(afterMs / 1000)} seconds`)
    this.name = 'ModelSilent'
  }
}

class ModelEmpty extends Error {
  constructor () {
    super('The model answered with nothing')
    this.name = 'ModelEmpty'
  }
}

/** Thrown when the stream ended before the model said that it had finished. */
class ModelCutOff extends Error {
  constructor () {
    super('The answer broke off')
    this.name = 'ModelCutOff'
  }
}

/**
 * Makes one streamed call of the model. Uses the AI SDK's provider interface directly rather than through a wrapper: the
 * turn loop owns retries, tools and history anyway, and a token costs half as much processor time.
 * Throws what the provider throws, OptionUnsupported, ModelSilent, ModelCutOff, ModelEmpty, or AnswerTooLarge when a limit is reached.
 */
export async function streamStep (request: StepRequest): Promise<StepResult> {
  const silence = createSilence(request)
  const enough = new AbortController()
  const abortSignal = AbortSignal.any([request.signal, silence.signal, enough.signal])
  const content = new StepContent(request.turnRoom)
  let finish: Finish | undefined
  let answeredBy: string | undefined
  let reported: Reported = {}
  try {
    const { stream } = await untilAborted(request.model.doStream({
      prompt: request.prompt,
      tools: request.tools.map((tool) => ({
        type: 'function', name: tool.name, description: tool.description, inputSchema: tool.parameters,
        ...(tool.strict === undefined ? {} : { strict: tool.strict })
      })),
      toolChoice: request.mayCallTools ? request.toolChoice ?? { type: 'auto' } : { type: 'none' },
      ...(request.responseFormat === undefined ? {} : { responseFormat: request.responseFormat }),
      maxOutputTokens: request.maxOutputTokens,
      ...request.sampling,
      providerOptions: request.providerOptions,
      ...(request.headers === undefined ? {} : { headers: request.headers }),
      includeRawChunks: true,
      abortSignal
    }), abortSignal)
    const parts = partsOf(stream, abortSignal)
    for await (const part of parts) {
      if (part.type === 'raw') {
        reported = withLater(reported, reportedIn(part.rawValue))
        continue
      }
      if (part.type === 'error') {
        finish = await lastWord(parts, enough)
        throw part.error
      }
      if (part.type === 'stream-start' && request.sampling !== undefined) assertSupported(request.sampling, part.warnings)
      if (part.type === 'finish') finish = part
      if (part.type === 'response-metadata') answeredBy = part.modelId
      if (saysSomething(part)) {
        silence.end()
        request.onSign()
      }
      take(part, content, request)
      const drained = request.drained()
      if (drained !== undefined) await silence.pauseFor(untilAborted(drained, abortSignal))
      const breath = breather()
      if (breath !== undefined) await breath
    }
    return { ...stepResult(request, content, finish), answeredBy }
  } catch (error) {
    const wasted = asCounted(finish === undefined ? reported : withLater(reported, reportedAtEnd(finish.usage)))
    if (wasted !== null && !request.signal.aborted) request.onWasted(wasted)
    if (silence.signal.aborted && !request.signal.aborted) throw silence.signal.reason
    throw error
  } finally {
    silence.clear()
  }
}

/** Throws ModelCutOff and ModelEmpty. */
function stepResult (request: StepRequest, content: StepContent, finish: Finish | undefined): StepResult {
  if (finish === undefined || finish.finishReason.unified === 'error') throw new ModelCutOff()
  const spoken = content.spoken()
  const cut = cutBy(finish.finishReason)
  if (cut === undefined && !spoken.some((entry) => entry.type === 'text' || entry.type === 'tool-call')) throw new ModelEmpty()
  const { toolCalls, chars } = content
  return {
    message: { role: 'assistant', content: spoken }, toolCalls, usage: stepUsage(finish.usage, request.prompt, chars), chars, cut,
    finishReason: finish.finishReason.unified
  }
}

/** Reads on after a failure to find the `finish` part; nothing else of it is passed on. */
async function lastWord (parts: AsyncIterator<LanguageModelV4StreamPart>, enough: AbortController): Promise<Finish | undefined> {
  const stop = after(lastWordMs, () => enough.abort())
  try {
    while (true) {
      const { done, value } = await parts.next()
      if (done === true) return undefined
      if (value.type === 'finish') return value
    }
  } catch {
    return undefined
  } finally {
    stop()
  }
}

function cutBy ({ unified }: LanguageModelV4FinishReason): CutReason | undefined {
  switch (unified) {
    case 'length': return 'length'
    case 'content-filter': return 'content_filter'
    default: return undefined
  }
}

/** Watches how long a model stays silent. Aborts the signal with ModelSilent when that is too long. */
function createSilence ({ firstChunkMs, nextChunkMs }: Pick<StepRequest, 'firstChunkMs' | 'nextChunkMs'>) {
  const tooLong = new AbortController()
  const expectWithin = (limitMs: number) => setTimeout(() => tooLong.abort(new ModelSilent(limitMs)), limitMs)
  let timer = expectWithin(firstChunkMs)
  let isFirst = true
  return {
    signal: tooLong.signal,
    end (): void {
      if (isFirst) {
        clearTimeout(timer)
        timer = expectWithin(nextChunkMs)
      } else timer.refresh()
      isFirst = false
    },
    /** Stops the timer during `wait`: while the service does not read, the model is not silent. */
    async pauseFor (wait: Promise<void>): Promise<void> {
      clearTimeout(timer)
      await wait
      timer = expectWithin(nextChunkMs)
      isFirst = false
    },
    clear: () => clearTimeout(timer)
  }
}

/** Yields the parts of a stream. An abort ends the wait for the next one at once, even if the provider ignores it. */
async function * partsOf (
  stream: ReadableStream<LanguageModelV4StreamPart>, signal: AbortSignal
): AsyncGenerator<LanguageModelV4StreamPart> {
  const reader = stream.getReader()
  const leave = (): void => { reader.cancel().catch(() => {}) }
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (signal.aborted) throw signal.reason
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', leave)
    leave()
  }
}

/** Whether a part is a piece of the answer. What a server sends to keep a connection open, or before the answer begins, is not. */
function saysSomething (part: LanguageModelV4StreamPart): boolean {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta': return part.delta !== ''
    case 'tool-input-start':
    case 'tool-call': return true
    default: return false
  }
}

/** Adds one part to the answer and passes on its text. Throws AnswerTooLarge, after passing on what there was room for. */
function take (
  part: LanguageModelV4StreamPart, content: StepContent, { onText, onReasoning }: Pick<StepRequest, 'onText' | 'onReasoning'>
): void {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta': {
      const type = part.type === 'text-delta' ? 'text' : 'reasoning'
      if (type === 'reasoning') content.describe(type, part.id, part.providerMetadata)
      if (part.delta === '') return
      const piece = content.hear(type, part.id, part.delta)
      if (piece !== '') (type === 'text' ? onText : onReasoning)(piece)
      if (piece.length < part.delta.length) throw content.tooLarge(type)
      return
    }
    case 'text-end': return content.describe('text', part.id, part.providerMetadata)
    case 'reasoning-start':
    case 'reasoning-end': return content.describe('reasoning', part.id, part.providerMetadata)
    case 'tool-input-start': return content.announce(part.id, 0)
    case 'tool-input-delta': return content.announce(part.id, part.delta.length)
    case 'tool-call': return content.call(part)
  }
}

/** Returns the usage of an answer, estimated if its provider does not report it. */
export function stepUsage (usage: LanguageModelV4Usage | undefined, prompt: ModelMessage[], outputChars: number): StepUsage {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage === undefined ? {} : reportedAtEnd(usage)
  return {
    inputTokens: inputTokens ?? Math.ceil(JSON.stringify(prompt).length / 4),
    outputTokens: outputTokens ?? Math.ceil(outputChars / 4),
    cacheReadTokens,
    cacheWriteTokens,
    estimated: inputTokens === undefined || outputTokens === undefined
  }
}
