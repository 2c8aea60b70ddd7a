import { Value } from '@sinclair/typebox/value'
import { type LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { asError } from '../../ground/errors.js'
import { inTime } from '../../ground/concurrency/in-time.js'
import { realPath } from '../../ground/files/containment.js'
import { proxyVariables } from '../../ground/proxy/outgoing.js'
import { onlyLooks, planEnvironment, type Verdict } from '../policy/index.js'
import { resultPart, type ToolCall } from '../protocol.js'
import { type RequestAnswer } from '../requests.js'
import { type Leftovers, type Watch } from '../sandbox/index.js'
import {
  memoryAccess, scheduleAccess, skillAccess, ToolError, type Sample, type Sampled, type StoredDocuments, type Tool, type ToolContext,
  type ToolImage, type ToolResult
} from '../tools/index.js'
import { CallPermission, type Judgement, type PermissionOptions, type Permitted } from './call-permission.js'
import { beginTool, resultOf } from './call-spans.js'
import { Cancelled, type Asking, type PlacedSpec, type RunIO } from './engine.js'
import { leftWarnings } from './left-warnings.js'
import { LiveOutput } from './live-output.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { type OpenSpan } from './run-spans.js'
import { briefly } from './shown-call.js'
import { startFiles } from '../../ground/assets.js'

export interface ToolCallsOptions extends PermissionOptions {
  findTool: (name: string) => Tool | undefined
  childEnv: Record<string, string>
  /** Prefix of the mark that the processes of a command carry; a name of their own follows it. */
  commandMark?: string
  extract?: ToolContext['extract']
  recall?: ToolContext['recall']
  /** Asks the model on behalf of a server that is working on this call. */
  sample?: (sample: Sample, callId: string, signal: AbortSignal) => Promise<Sampled>
}

/**
 * A call as the model made it. `invalid` says why its arguments could not be read; `announced`: it was already shown before an
 * interruption.
 */
export type ModelCall = ToolCall & { invalid?: string, announced?: boolean }

/** How long judging a call may take; after that the call is announced before it is known whether it asks. */
const announcedMs = 250

/** A result and how long the tool itself took; waiting for permission is not counted. */
interface ToolRun { result: ToolResult, durationS: number, hasRun: boolean }

/** Runs the calls of one step: first the policy decides, then the user if it says so, then the tool runs. */
export class ToolCalls {
  readonly #kept: StoredDocuments
  readonly #permission: CallPermission
  #images: ToolImage[] = []
  #questions = 0

  constructor (readonly spec: PlacedSpec, readonly io: RunIO, readonly options: ToolCallsOptions) {
    this.#kept = { memory: memoryAccess(io.request), skills: skillAccess(io.request), schedules: scheduleAccess(io.request) }
    this.#permission = new CallPermission(spec, io, options, this.#kept)
  }

  /** Returns the images that tools have answered with since the last call of this method. */
  takeImages (): ToolImage[] {
    const taken = this.#images
    this.#images = []
    return taken
  }

  /** Begins the calls in order. Those that only read run, or wait for permission, concurrently. */
  async run (calls: ModelCall[]): Promise<LanguageModelV4ToolResultPart[]> {
    const results: Array<Promise<LanguageModelV4ToolResultPart>> = []
    for (const call of calls) {
      const tool = this.options.findTool(call.name)
      const beside = tool !== undefined && (tool.risk === 'read' || tool.risk === 'none')
      const outcome = this.#call(call, tool, beside)
      results.push(outcome)
      // A cancellation leaves this method at the first rejection; those of the other calls must not count as unhandled then.
      outcome.catch(() => {})
      if (!beside) await outcome
    }
    return await Promise.all(results)
  }

  /** Runs a call that belongs to no step. It is judged, asked about and run like any other, but no event announces it. Throws Cancelled. */
  async serve (tool: Tool, call: ToolCall): Promise<ToolResult> {
    return (await this.#gated(tool, call, true, this.#permission.judge(tool, call.args))).result
  }

  /**
   * Asks the rules and the user about a call that an agent runs itself. Resolves with null if it may be done, else with the reason why
   * not. Aborting `signal` withdraws the question. Throws Cancelled.
   */
  async permit (tool: Tool, { id, args }: ToolCall, signal: AbortSignal): Promise<string | null> {
    const permitted = await this.#permission.ask(tool, args, { callId: id, beside: true }, await this.#permission.judge(tool, args), signal)
    return typeof permitted === 'string' ? permitted : null
  }

  async #call (call: ModelCall, tool: Tool | undefined, beside: boolean): Promise<LanguageModelV4ToolResultPart> {
    const { io } = this
    const { id, name, args } = call
    const problem = call.invalid ?? (tool === undefined ? `There is no tool called ${name}.` : argumentProblem(tool, args))
    const able = problem === undefined ? tool : undefined
    const preview = able?.preview(args) ?? ''
    const judgement = able && this.#permission.judge(able, args)
    // A rejection is handled below, where the promise is awaited.
    judgement?.catch(() => {})
    if (call.announced !== true) {
      const judged = judgement === undefined || beside ? undefined : await inTime(announcedMs, judgement)
      // A call that asks has to wait for its preview anyway.
      const foresight = judged?.judge([]).verdict === 'ask' ? await judged.foresee() : undefined
      io.emit({ t: 'tool', id, name, preview, args, ...(foresight === undefined ? {} : { foresight: briefly(foresight) }) })
    }
    const {
      result, durationS, hasRun
    } = able === undefined || judgement === undefined ? notRun(problem ?? '') : await this.#gated(able, call, beside, judgement)
    if (!hasRun) beginTool(io.spans, tool, call, able !== undefined)?.end({ 'error.type': 'not_run' })
    const isError = result.isError === true
    this.#images.push(...result.images ?? [])
    io.emit({ t: 'tool_complete', id, name, preview, args, isError, durationS, result: result.text })
    return resultPart(call, result.text, isError)
  }

  /** Asks for permission and runs the tool. A tool that fails gives a result; it does not end the turn. */
  async #gated (tool: Tool, call: ToolCall, beside: boolean, judgement: Promise<Judgement>): Promise<ToolRun> {
    const { io } = this
    const { id: callId, args } = call
    const from = { callId, beside }
    const permitted = await this.#permission.ask(tool, args, from, await judgement)
    if (typeof permitted === 'string') return notRun(permitted)
    const { verdict, asked, seen } = permitted
    await tool.permitted?.(asked)
    if (!io.planning() && mayChangeFiles(tool, args)) await untilAborted(io.checkpoint(), io.signal)
    const startedMs = performance.now()
    const span = beginTool(io.spans, tool, call)
    const took = (result: ToolResult): ToolRun => {
      span?.end(resultOf(io.spans, result))
      return { result, durationS: (performance.now() - startedMs) / 1000, hasRun: true }
    }
    try {
      return took(await untilAborted(this.#watched(tool, args, from, { verdict, asked, seen, span }), io.signal))
    } catch (error) {
      if (io.signal.aborted) {
        span?.end({ 'error.type': 'cancelled' })
        throw new Cancelled()
      }
      return took({ text: asError(error).message, isError: true })
    }
  }

  /**
   * Runs a tool, and then checks the workspace if it ran in the sandbox, or wrote without asking. A command outside the sandbox is
   * registered with the boundary while it runs.
   */
  async #watched (
    tool: Tool, args: Record<string, unknown>, from: Asking, { verdict, asked, seen, span }: Permitted & { span: OpenSpan<'tool'> | undefined }
  ): Promise<ToolResult> {
    const { io, spec, options } = this
    const isCommand = tool.targets(args).command !== undefined
    if (options.boundary === undefined || !(isCommand || (tool.risk === 'write' && !asked))) {
      return await this.#perform(tool, args, from, verdict, { seen, span })
    }
    if (isCommand && !verdict.confined) {
      const over = options.boundary.runsOutside(spec.workspace)
      return await this.#perform(tool, args, from, verdict, { span }).finally(over)
    }
    const watch = await options.boundary.begin(spec.workspace, io.signal, isCommand)
    let result: ToolResult
    try {
      result = await this.#perform(tool, args, from, verdict, { seen, watch, span })
    } catch (error) {
      result = { text: asError(error).message, isError: true }
    }
    return this.#tell(await watch.end(), result)
  }

  /** Reports what was left in the workspace: to the user at once, to the model in the result. */
  #tell (left: Leftovers, result: ToolResult): ToolResult {
    const remarks = leftWarnings(left, null)
    for (const remark of remarks) if (!this.io.signal.aborted) this.io.emit(remark)
    return remarks.length === 0 ? result : { ...result, text: [result.text, ...remarks.map(({ message }) => `[${message}]`)].join('\n') }
  }

  async #perform (
    tool: Tool, args: Record<string, unknown>, from: Asking, { leavesWorkspace, confined }: Verdict,
    { seen, watch, span }: { seen?: string | undefined, watch?: Watch, span: OpenSpan<'tool'> | undefined }
  ): Promise<ToolResult> {
    const { io, spec, options } = this
    const { sample } = options
    const output = new LiveOutput((piece) => { if (!io.signal.aborted) io.emit({ t: 'tool_output', id: from.callId, ...piece }) })
    return await tool.run(args, {
      workspace: spec.workspace,
      sessionId: spec.sessionId,
      runId: spec.runId,
      callId: from.callId,
      signal: io.signal,
      traceparent: span?.traceparent,
      // Confined commands have no network, so they need no proxy.
      childEnv: { ...options.childEnv, ...confined ? {} : proxyVariables(false), ...io.planning() ? planEnvironment : {} },
      // Only calls permitted as such reach outside paths. All others stay contained, even if a path is swapped meanwhile.
      approved: leavesWorkspace,
      ...(seen === undefined ? {} : { seen }),
      readable: spec.readable.map(realPath),
      confined,
      readOnly: io.planning(),
      repositories: watch?.repositories,
      limits: spec.commandLimits,
      pageLimitMs: spec.pageLimitMs ?? null,
      commandMark: options.commandMark,
      hidden: [options.policy.home, ...options.policy.otherHomes ?? [], ...options.policy.serviceRoots, ...watch?.sockets ?? []],
      programs: [...options.policy.programRoots ?? [], ...startFiles],
      // A call that asks while it runs may already have had an effect. An id of its own keeps it from being taken for a call that has
      // not begun, after a crash.
      clarify: (ask) =>
        io.askQuestion(ask, tool.name === 'clarify' ? from : { ...from, callId: `question-${from.callId}-${++this.#questions}` }),
      warn: (kind, message) => { if (!io.signal.aborted) io.emit({ t: 'warning', kind, message }) },
      ...(sample !== undefined && { sample: async (asked: Sample, signal: AbortSignal) => await sample(asked, from.callId, signal) }),
      delegate: async (task) => {
        const answered = await io.request('delegate', { task }, { span: span?.id })
        return 'answer' in answered
          ? answered.answer
          : { text: `The sub-agent could not be asked: ${answered.error.message}.`, isError: true }
      },
      ...this.#kept,
      searchSessions: async (search) => {
        const answered = await io.request('session_search', search)
        if ('answer' in answered) return answered.answer
        throw new ToolError(`Earlier conversations could not be searched: ${answered.error.message}.`)
      },
      savePlan: async (plan, version) => await savePlan(io, plan, version),
      recall: options.recall,
      extract: options.extract,
      mayFetch: async (url) => (await this.#permission.judge(tool, { url })).judge([]).verdict === 'allow',
      setTodos: io.todos.set,
      output: output.push
    }).finally(output.end)
  }
}

/** Sends a plan to the web tier, which stores it. */
export async function savePlan (
  { request }: Pick<RunIO, 'request'>, text: string, version: number | null
): Promise<ToolResult & Pick<RequestAnswer<'plan_save'>, 'why'>> {
  const answered = await request('plan_save', { text, version })
  return 'answer' in answered ? answered.answer : { text: `The plan could not be saved: ${answered.error.message}.`, isError: true }
}

function mayChangeFiles (tool: Tool, args: Record<string, unknown>): boolean {
  if (tool.risk === 'write') return tool.targets(args).skill === undefined
  return tool.risk === 'execute' && !onlyLooks(tool.targets(args).command ?? '')
}

function notRun (why: string): ToolRun {
  return { result: { text: why, isError: true }, durationS: 0, hasRun: false }
}

/** Returns the first argument that does not fit, in words by which the model can correct it. */
function argumentProblem (tool: Tool, args: Record<string, unknown>): string | undefined {
  if (tool.problem !== undefined) return tool.problem(args)
  const error = Value.Errors(tool.parameters, args).First()
  if (error === undefined) return undefined
  const where = error.path === '' ? 'the arguments' : `"${error.path.slice(1).replaceAll('/', '.')}"`
  return `The call does not fit the tool: ${where}: ${error.message}. Correct the arguments and call it again.`
}
