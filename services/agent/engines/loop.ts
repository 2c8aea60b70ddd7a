import { Value } from '@sinclair/typebox/value'
import { type LanguageModelV3, type LanguageModelV3ToolResultPart } from '@ai-sdk/provider'
import { setTimeout as sleep } from 'node:timers/promises'
import { decide, type PolicyContext } from '../policy/index.js'
import { classifyModelError, type ModelFailure } from '../providers/index.js'
import { type ModelMessage, type RunError, type RunSpec, type StepUsage, type ToolCall, type TurnUsage } from '../protocol.js'
import { type Tool, type ToolResult } from '../tools/index.js'
import { Cancelled, type Engine, type RunIO, type RunOutcome } from './engine.js'
import { userMessage, withoutGaps } from './history.js'
import { streamStep, untilAborted, type StepRequest, type StepResult } from './model-step.js'

export interface LoopTiming {
  /** First retry delay; each further one doubles it. */
  retryBaseMs: number
  firstChunkMs: number
  nextChunkMs: number
}

export interface ResolvedModel {
  model: LanguageModelV3
  /** Name for messages to a person. */
  providerName: string
  providerOptions?: StepRequest['providerOptions']
  /** Its token counts are guesses, whatever it reports. */
  estimatesUsage?: boolean
}

export interface LoopOptions {
  resolveModel (spec: RunSpec): Promise<ResolvedModel>
  tools: Tool[]
  policy: Pick<PolicyContext, 'home' | 'serviceRoots'>
  childEnv: Record<string, string>
  timing: LoopTiming
}

/** Failures before anything was heard are tried again twice, failures in the middle of an answer three times. */
const retriesUnheard = 2
const retriesHeard = 3
const longestBackoffMs = 60_000

/**
 * The turn loop: one model call per step; between steps, tools under the policy, and what the user typed meanwhile.
 * It owns the history, so approvals, steering, cancelling and retries are all decided here.
 */
export function createLoopEngine (options: LoopOptions): Engine {
  return { run: (spec, io) => new Turn(spec, io, options).run() }
}

class Turn {
  readonly #history: ModelMessage[]
  readonly #usage: TurnUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false, lastPromptTokens: 0 }
  /** What the user has seen of this turn up to the step that runs now. */
  #textBefore = ''

  constructor (readonly spec: RunSpec, readonly io: RunIO, readonly options: LoopOptions) {
    this.#history = withoutGaps(spec.history)
  }

  async run (): Promise<RunOutcome> {
    let resolved: ResolvedModel
    try {
      resolved = await untilAborted(this.options.resolveModel(this.spec), this.io.signal)
      this.#history.push(await untilAborted(userMessage(this.spec.input), this.io.signal))
    } catch (error) {
      if (this.io.signal.aborted) throw new Cancelled()
      return this.#failed(classifyModelError(error, this.spec.model.provider))
    }
    for (let step = 1; ; step++) {
      const last = step >= this.spec.limits.steps
      let result: StepResult
      try {
        result = await this.#callModel(resolved, !last)
      } catch (error) {
        if (error instanceof ModelGaveUp) return this.#failed(error.failure)
        throw error
      }
      if (resolved.estimatesUsage === true) result.usage.estimated = true
      this.#count(result.usage)
      if (last) this.#closeWithoutCalls(result)
      this.#history.push(result.message)
      this.io.emit({ t: 'step', message: result.message, toolCalls: result.toolCalls.map(({ id, name, args }) => ({ id, name, args })), usage: result.usage })
      const text = textOf(result.message)
      if (result.toolCalls.length === 0 || last) {
        return { state: 'done', usage: this.#usage, ...(last && step > 1 ? { terminalState: 'tool_limit_reached' as const } : {}) }
      }
      if (text !== '') {
        this.#textBefore += text
        this.io.emit({ t: 'interim', text, alreadyStreamed: true })
      }
      this.#history.push({ role: 'tool', content: await this.#runTools(result.toolCalls) })
      const steers = this.io.takeSteers()
      if (steers.length > 0) {
        this.#history.push({ role: 'user', content: steers.map((steer) => ({ type: 'text', text: steer })) })
        this.io.emit({ t: 'steered', texts: steers })
      }
    }
  }

  /** Some models call tools even when they must not: at the end of the budget nobody would answer the calls. */
  #closeWithoutCalls (result: StepResult): void {
    if (result.message.role !== 'assistant' || result.toolCalls.length === 0) return
    result.toolCalls = []
    result.message.content = result.message.content.filter((part) => part.type !== 'tool-call')
    if (textOf(result.message) !== '') return
    const text = 'I have reached the limit of steps for one turn. Send a message to let me go on.'
    result.message.content.push({ type: 'text', text })
    this.io.emit({ t: 'token', text })
  }

  async #callModel ({ model, providerName, providerOptions }: ResolvedModel, mayCallTools: boolean): Promise<StepResult> {
    const { io, spec, options } = this
    let unheard = 0
    let heardFailures = 0
    while (true) {
      let heard = false
      try {
        return await streamStep({
          model,
          prompt: [...spec.system.map((content) => ({ role: 'system' as const, content })), ...this.#history],
          tools: options.tools,
          mayCallTools,
          providerOptions,
          maxOutputTokens: spec.model.maxOutputTokens,
          signal: io.signal,
          firstChunkMs: options.timing.firstChunkMs,
          nextChunkMs: options.timing.nextChunkMs,
          onText (text) {
            heard = true
            io.emit({ t: 'token', text })
          },
          onReasoning (text) {
            heard = true
            io.emit({ t: 'reasoning', text })
          }
        })
      } catch (error) {
        if (io.signal.aborted) throw new Cancelled()
        const failure = classifyModelError(error, providerName)
        const tries = heard ? ++heardFailures : ++unheard
        if (!failure.retryable || tries > (heard ? retriesHeard : retriesUnheard)) throw new ModelGaveUp(failure)
        if (heard) io.emit({ t: 'interim', text: this.#textBefore, alreadyStreamed: false })
        const waitMs = Math.min(failure.retryAfterMs ?? options.timing.retryBaseMs * 2 ** (tries - 1), longestBackoffMs)
        io.emit({ t: 'warning', kind: 'retry', message: `${failure.message} Trying again in ${Math.max(1, Math.round(waitMs / 1000))} s.` })
        await sleep(waitMs, undefined, { signal: io.signal }).catch(() => { throw new Cancelled() })
      }
    }
  }

  /** Begins the calls in their order. Those that only read run, or wait for permission, beside each other. */
  async #runTools (calls: StepResult['toolCalls']): Promise<LanguageModelV3ToolResultPart[]> {
    const results: Array<Promise<LanguageModelV3ToolResultPart>> = []
    for (const call of calls) {
      const tool = this.options.tools.find((candidate) => candidate.name === call.name)
      const outcome = this.#runTool(call, tool)
      results.push(outcome)
      // A cancel throws out of here at the call it finds; the others' rejections are then nobody's, and no fault.
      outcome.catch(() => {})
      if (tool === undefined || (tool.risk !== 'read' && tool.risk !== 'none')) await outcome
    }
    return await Promise.all(results)
  }

  async #runTool (call: ToolCall & { invalid?: string }, tool: Tool | undefined): Promise<LanguageModelV3ToolResultPart> {
    const { io } = this
    const { id, name, args } = call
    const problem = call.invalid ?? (tool === undefined ? `There is no tool called ${name}.` : argumentProblem(tool, args))
    const preview = problem === undefined ? tool!.preview(args) : ''
    io.emit({ t: 'tool', id, name, preview, args })
    const { result, durationS } = problem === undefined ? await this.#gated(tool!, args) : notRun(problem)
    const isError = result.isError === true
    const replay: LanguageModelV3ToolResultPart = {
      type: 'tool-result', toolCallId: id, toolName: name, output: { type: isError ? 'error-text' : 'text', value: result.text }
    }
    io.emit({
      t: 'tool_complete', id, name, preview, args, isError, durationS, result: result.text, replay
    })
    return replay
  }

  /** The policy first, then the user where it says so, then the tool. A tool that fails is a result, not the end. */
  async #gated (tool: Tool, args: Record<string, unknown>): Promise<ToolRun> {
    const { io, spec } = this
    const verdict = decide({ tool, args }, {
      ...this.options.policy, workspace: spec.workspace, grants: io.grants, yolo: io.yolo(), attended: spec.attended
    })
    if (verdict.verdict === 'forbid') return notRun(verdict.reason ?? 'This call is not permitted.')
    if (verdict.verdict === 'ask') {
      const { command, description, patternKey, patternKeys, maxScope } = verdict
      const choice = await io.askApproval({ command, description, patternKey, patternKeys, maxScope })
      if (choice === null) return notRun('Nobody answered the request for approval in time, so this was not done. Do not try it in another way; go on without it or say what you would need.')
      if (choice === 'deny') return notRun('The user denied this call. Do not try the same thing in other words; ask what they would like instead, or go on without it.')
    }
    const startedMs = performance.now()
    const run = (result: ToolResult): ToolRun => ({ result, durationS: (performance.now() - startedMs) / 1000 })
    try {
      return run(await untilAborted(tool.run(args, {
        workspace: spec.workspace,
        sessionId: spec.sessionId,
        runId: spec.runId,
        signal: io.signal,
        childEnv: this.options.childEnv,
        // Outside paths open only to calls that were let through as such; the rest stay contained, whatever is swapped meanwhile.
        approved: verdict.leavesWorkspace,
        clarify: (ask) => io.askQuestion(ask),
        setTodos: io.todos.set,
        getTodos: io.todos.get
      }), io.signal))
    } catch (error) {
      if (io.signal.aborted) throw new Cancelled()
      return run({ text: error instanceof Error ? error.message : String(error), isError: true })
    }
  }

  #count (step: StepUsage): void {
    const total = this.#usage
    total.inputTokens += step.inputTokens
    total.outputTokens += step.outputTokens
    total.cacheReadTokens += step.cacheReadTokens
    total.cacheWriteTokens += step.cacheWriteTokens
    total.estimated ||= step.estimated
    total.lastPromptTokens = step.inputTokens + step.outputTokens
  }

  #failed ({ type, message, hint }: RunError): RunOutcome {
    return { state: 'failed', usage: this.#usage, error: { type, message, ...(hint === undefined ? {} : { hint }) } }
  }
}

/** A result and how long the tool itself took; waiting for permission is not counted. */
interface ToolRun { result: ToolResult, durationS: number }

function notRun (why: string): ToolRun {
  return { result: { text: why, isError: true }, durationS: 0 }
}

class ModelGaveUp extends Error {
  constructor (readonly failure: ModelFailure) {
    super(failure.message)
  }
}

function textOf (message: ModelMessage): string {
  if (message.role !== 'assistant') return ''
  return message.content.map((part) => part.type === 'text' ? part.text : '').join('')
}

/** The first argument that does not fit, in words the model can correct itself by. */
function argumentProblem (tool: Tool, args: Record<string, unknown>): string | undefined {
  const error = Value.Errors(tool.parameters, args).First()
  if (error === undefined) return undefined
  const where = error.path === '' ? 'the arguments' : `"${error.path.slice(1).replaceAll('/', '.')}"`
  return `The call does not fit the tool: ${where}: ${error.message}. Correct the arguments and call it again.`
}
