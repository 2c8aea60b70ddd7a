import { tried } from '../../ground/tried.js'
import { classifyModelError } from '../../providers/index.js'
import {
  type CutShort, type GoodEnd, type ModelMessage, type ModelRef, type RunError, type RunSpec, type StepUsage, type TurnUsage
} from '../protocol.js'
import { limitingOf, type CommandLimiting, type SandboxStatus } from '../sandbox/index.js'
import { type Tool } from '../tools/index.js'
import { formatInstruction, formatProblem, responseFormat, strictness } from './answer-format.js'
import { TurnBudget } from './budget.js'
import { ClientTools, previewOf, type ClientCall } from './client-calls.js'
import { Cancelled, type Engine, type RunIO, type PlacedSpec, type RunOutcome } from './engine.js'
import { FolderRules } from './folder-rules.js'
import { lastRequest, textOf, userMessage } from './history.js'
import { planInstructions } from '../plan-words.js'
import { acceptedCommand, acceptedRules } from './acceptance.js'
import { ModelCalls, ModelGaveUp, type ModelTiming, type ResolvedModel } from './model-calls.js'
import { type CutReason, type StepResult } from './model-step.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { TurnHistory } from './turn-history.js'
import { RunModels } from './run-models.js'
import { RunTasks } from './run-tasks.js'
import { Sampling } from './sampling.js'
import { ToolCalls, type ModelCall, type ToolCallsOptions } from './tool-calls.js'

export interface LoopOptions extends Omit<ToolCallsOptions, 'findTool' | keyof CommandLimiting | 'extract' | 'recall' | 'sample'> {
  resolveModel (ref: ModelRef): Promise<ResolvedModel>
  /** How terminal commands can be confined here. */
  sandbox (): Promise<SandboxStatus>
  toolsFor (spec: RunSpec, sandbox: SandboxStatus | null): Promise<Toolbox>
  timing: ModelTiming
}

/** The tools of a turn. They may change between its steps. */
export interface Toolbox {
  /** Returns the tools that the model is shown. */
  offered (): Tool[]
  /** Returns a tool that the model may call, including one that it was shown earlier. */
  find (name: string): Tool | undefined
}

const cutTexts: Record<CutReason, CutShort> = {
  length: {
    reason: 'length',
    message: 'The answer was cut short: it has reached the length that one answer may have.',
    hint: 'Send "continue" to let it go on.'
  },
  content_filter: {
    reason: 'content_filter',
    message: 'The answer was cut short: the content filter of the provider has stopped it.',
    hint: 'Ask in other words, or choose another model.'
  }
}

/**
 * The turn loop: one model call per step; between steps it runs tools under the policy and takes in what the user typed meanwhile.
 * It owns the history, so approvals, steering, cancelling, retries and summaries are all decided here.
 */
export function createLoopEngine (options: LoopOptions): Engine {
  return { run: (spec, io) => new Turn(spec, io, options).run() }
}

class Turn {
  readonly #history: TurnHistory
  #tools: Toolbox = { offered: () => [], find: () => undefined }
  #calls!: ToolCalls
  #client!: ClientTools
  /** Whether the model has already been told that its answer is not in the required format. That happens once. */
  #isCorrected = false
  /** Output tokens of the model calls so far. */
  #answeredTokens = 0
  readonly #usage: TurnUsage = {
    inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false, lastPromptTokens: 0
  }

  readonly #models: RunModels
  readonly #model: ModelCalls
  readonly #tasks: RunTasks
  readonly #budget: TurnBudget
  readonly #sampling: Sampling
  readonly #folderRules: FolderRules
  #systemTexts: string[]

  constructor (readonly spec: PlacedSpec, readonly io: RunIO, readonly options: LoopOptions) {
    this.#models = new RunModels(spec, io, (ref) => options.resolveModel(ref))
    this.#model = new ModelCalls(io, options.timing, this.#models, spec.resume?.heard)
    this.#tasks = new RunTasks({
      io, resolve: (ref) => options.resolveModel(ref), request: spec.input?.text ?? lastRequest(spec.history),
      used: (usage) => this.#add(usage)
    })
    this.#budget = new TurnBudget(spec, io)
    this.#sampling = new Sampling({ spec, io, models: this.#models, budget: this.#budget, used: (usage) => this.#add(usage) })
    this.#history = new TurnHistory({
      spec, io, models: this.#models, system: () => this.#system(), used: (usage) => this.#add(usage),
      wasSilent: (resolved) => this.#model.wasSilent(resolved)
    })
    this.#folderRules = new FolderRules(spec.workspace, options.boundary)
    this.#systemTexts = spec.system
  }

  async run (): Promise<RunOutcome> {
    const { io, spec } = this
    try {
      await this.#models.open()
      await untilAborted(this.#openTools(), io.signal)
      await this.#begin()
    } catch (error) {
      if (io.signal.aborted || error instanceof Cancelled) throw new Cancelled()
      if (error instanceof ModelGaveUp) return this.#failed(error.failure)
      const { limit: _, ...failure } = classifyModelError(error, spec.model.provider)
      return this.#failed(failure)
    }
    if (spec.resume !== undefined) await this.#answerCalls(spec.resume.calls)
    for (let step = 1; ; step++) {
      const last = step >= spec.limits.steps
      let result: StepResult
      try {
        const stopped = await this.#budget.check(step === 1)
        if (stopped !== null) return this.#endHere(stopped, 'budget_exhausted')
        if (this.#tokensLeft() <= 0) return this.#endHere(cutTexts.length)
        result = await this.#step(!last)
      } catch (error) {
        if (error instanceof ModelGaveUp) return this.#failed(error.failure)
        throw error
      }
      if (this.#models.current.estimatesUsage === true) result.usage.estimated = true
      this.#count(result.usage)
      const cut = result.cut === undefined ? undefined : cutTexts[result.cut]
      if (cut !== undefined) this.#closeWithoutCalls(result, cut.message)
      else if (last) this.#closeWithoutCalls(result, 'I have reached the limit of steps for one turn. Send a message to let me go on.')
      this.#history.answered(result.message, this.#usage.lastPromptTokens)
      io.emit({
        t: 'step', message: result.message, toolCalls: result.toolCalls.map(({ id, name, args }) => ({ id, name, args })),
        usage: result.usage,
        ...(cut === undefined ? {} : { cut })
      })
      const text = textOf(result.message)
      if (result.toolCalls.length === 0 || last) {
        const misfit = cut === undefined ? await this.#misfit(text) : null
        if (misfit !== null && !last && this.#corrects(misfit, text)) continue
        if (misfit !== null) return this.#failed(misfitting(misfit))
        return {
          state: 'done', usage: this.#usage,
          ...(last && (step > 1 || spec.resume !== undefined) ? { terminalState: 'tool_limit_reached' as const } : {})
        }
      }
      if (text !== '') io.emit({ t: 'segment', text })
      const { here, out } = this.#client.sorted(result.toolCalls)
      await this.#answerCalls(here, out.length > 0)
      if (out.length > 0) return this.#handOut(out)
    }
  }

  /** Passes calls to the program that sent the message, which ends the turn: their results begin the next one. */
  #handOut (calls: ClientCall[]): RunOutcome {
    for (const { id, name, args, client } of calls) this.io.emit({ t: 'tool', id, name, preview: previewOf(args), args, client })
    return { state: 'done', usage: this.#usage, terminalState: 'client_calls' }
  }

  /** Returns what is wrong with the format of the final answer; null if nothing is. */
  async #misfit (answer: string): Promise<string | null> {
    const format = this.spec.client?.format
    return format === undefined ? null : await formatProblem(format, answer)
  }

  /** Asks the model to answer again in the right format. Returns false if it has been asked before. */
  #corrects (problem: string, answer: string): boolean {
    if (this.#isCorrected) return false
    this.#isCorrected = true
    this.io.emit({ t: 'segment', text: answer })
    this.#history.note(`The answer ${problem}. Give it again, in the form that was asked for, and nothing else.`)
    return true
  }

  /** Adds the turn's message, after a person has seen any rules or command that were changed without asking. */
  async #begin (): Promise<void> {
    const { io, spec, options: { boundary } } = this
    this.#systemTexts = await acceptedRules(spec, io, boundary)
    const accepted = await acceptedCommand(spec, io, boundary)
    const { input, client } = spec
    if (input !== null) await this.#hear(input, accepted)
    // A program's wishes are not rules of the service, so they go with the message rather than the system texts.
    if (client?.format !== undefined) this.#history.note(formatInstruction(client.format))
  }

  async #hear (input: NonNullable<PlacedSpec['input']>, accepted: string | null): Promise<void> {
    const { io, spec } = this
    const message = await untilAborted(userMessage({ ...input, text: accepted ?? input.text }, spec.places), io.signal)
    if (accepted !== null) io.emit({ t: 'reworded', text: textOf(message) })
    this.#history.remember(message)
  }

  async #openTools (): Promise<void> {
    const { spec, io, options } = this
    const sandbox = spec.sandbox === 'auto' ? await options.sandbox() : null
    this.#tools = await options.toolsFor(spec, sandbox)
    this.#client = new ClientTools(spec.client ?? {}, (name) => this.#tools.find(name) !== undefined)
    this.#calls = new ToolCalls(spec, io, {
      ...options,
      findTool: (name) => this.#tools.find(name),
      ...limitingOf(sandbox),
      extract: (page) => this.#tasks.extract(page, this.#models.ref),
      recall: (found) => this.#tasks.recall(found, this.#models.ref),
      sample: (sample, callId, signal) => this.#sampling.answer(sample, callId, signal)
    })
  }

  /** Runs the calls of a step and takes in what the user typed meanwhile, unless results that must come first are still missing. */
  async #answerCalls (calls: ModelCall[], isUnfinished = false): Promise<void> {
    for (const part of await this.#calls.run(calls)) this.#history.remember({ role: 'tool', content: [part] })
    this.#history.show(this.#calls.takeImages())
    if (!isUnfinished) this.#tellFolderRules(calls)
    const steers = isUnfinished ? [] : this.io.takeSteers()
    if (steers.length === 0) return
    for (const text of steers) this.#history.remember({ role: 'user', content: [{ type: 'text', text }] })
    this.io.emit({ t: 'steered', texts: steers })
  }

  /** Tells the model the rules of the folders that calls have worked in, and a person that they apply. */
  #tellFolderRules (calls: readonly ModelCall[]): void {
    const targets = calls.flatMap(({ name, args, invalid }) => {
      const tool = invalid === undefined ? this.#tools.find(name) : undefined
      return tool === undefined ? [] : tried(() => [tool.targets(args)], [])
    })
    for (const { warning, text } of this.#folderRules.of(targets)) {
      this.io.emit(warning)
      if (text !== null) this.#history.note(text)
    }
  }

  /** Makes one model call. The history is summarised first if it has grown too long, and again if the model refuses it as too long. */
  async #step (mayCallTools: boolean): Promise<StepResult> {
    const history = this.#history
    if (history.isTooLong) await history.summarise()
    let summarised = history.wasSummarised
    while (true) {
      try {
        const format = this.spec.client?.format
        return await this.#model.ask(async ({ takesFormats }) => ({
          prompt: await this.#tasks.visible(history.prompt(), this.#models.ref),
          tools: this.#client.beside(this.#tools.offered()),
          mayCallTools,
          toolChoice: this.#client.choice,
          ...(format === undefined || takesFormats !== true
            ? {}
            : { responseFormat: responseFormat(format), providerOptions: strictness(format) }),
          maxOutputTokens: this.#mostTokens(),
          sampling: this.spec.client?.sampling
        }))
      } catch (error) {
        if (!(error instanceof ModelGaveUp) || !error.failure.contextOverflow) throw error
        if (!await history.summarise()) throw summarised ? new ModelGaveUp({ ...error.failure, type: 'compression_exhausted' }) : error
        summarised = true
      }
    }
  }

  /**
   * Removes the calls from the last answer of a turn. At the step limit nothing would answer them, and some models make calls even
   * when they must not; in an answer that was cut short, the last call may be incomplete. `text` is used if the answer has none.
   */
  #closeWithoutCalls (result: StepResult, text: string): void {
    if (result.message.role !== 'assistant') return
    result.toolCalls = []
    result.message.content = result.message.content.filter((part) => part.type !== 'tool-call')
    if (textOf(result.message) !== '') return
    result.message.content.push({ type: 'text', text })
    this.io.emit({ t: 'token', text })
  }

  /** Ends the turn with a text of the service instead of an answer. */
  #endHere (cut: CutShort, terminalState?: GoodEnd): RunOutcome {
    const { io } = this
    const { message: text } = cut
    io.emit({ t: 'token', text })
    io.emit({ t: 'step', message: { role: 'assistant', content: [{ type: 'text', text }] }, toolCalls: [], usage: null, cut })
    return { state: 'done', usage: this.#usage, ...(terminalState === undefined ? {} : { terminalState }) }
  }

  /** Returns how many output tokens the program that sent the message still grants. */
  #tokensLeft (): number { return (this.spec.client?.maxOutputTokens ?? Infinity) - this.#answeredTokens }

  /** Returns how many output tokens the next model call may have; undefined for as many as the model gives. */
  #mostTokens (): number | undefined {
    const most = Math.min(this.#tokensLeft(), this.#models.ref.maxOutputTokens ?? Infinity)
    return Number.isFinite(most) ? most : undefined
  }

  #system (): ModelMessage[] {
    const { io, spec: { planning }, spec } = this
    const how = this.#tools.find('write_plan') !== undefined ? 'tool' : spec.toolset === 'all' ? 'answer' : 'not here'
    const texts = io.planning() ? [...this.#systemTexts, planInstructions({ plan: planning?.plan, how })] : this.#systemTexts
    return texts.map((content) => ({ role: 'system', content }))
  }

  #count (step: StepUsage): void {
    this.#add(step)
    this.#answeredTokens += step.outputTokens
    this.#usage.lastPromptTokens = step.inputTokens + step.outputTokens
  }

  #add (step: StepUsage): void {
    const total = this.#usage
    total.inputTokens += step.inputTokens
    total.outputTokens += step.outputTokens
    total.cacheReadTokens += step.cacheReadTokens
    total.cacheWriteTokens += step.cacheWriteTokens
    total.estimated ||= step.estimated
  }

  #failed ({ type, message, hint, about, terminalState, host, attempts, limit }: RunError): RunOutcome {
    const said = { ...(hint !== undefined && { hint }), ...(terminalState !== undefined && { terminalState }) }
    return {
      state: 'failed', usage: this.#usage,
      error: {
        type, message, ...said, ...(host !== undefined && { host }), ...(attempts !== undefined && { attempts }),
        ...(limit !== undefined && { limit }), ...(about !== undefined && { about })
      }
    }
  }
}

const misfitting = (problem: string): RunError => ({
  type: 'format_missed', message: `The model's answer ${problem}.`, hint: 'Try again, or choose another model.'
})
