import { Value } from '@sinclair/typebox/value'
import { type LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { inTime } from '../../ground/concurrency/in-time.js'
import { realPath } from '../../ground/containment.js'
import { variablesOut } from '../../ground/proxy/way-out.js'
import { onlyLooks, planEnvironment, type Verdict } from '../policy/index.js'
import { type ToolCall } from '../protocol.js'
import { type Left, type Watch } from '../sandbox/index.js'
import {
  type Kept, memoryAccess, scheduleAccess, skillAccess, ToolError, type Tool, type Sample, type Sampled, type ToolContext, type ToolImage,
  type ToolResult
} from '../tools/index.js'
import { CallPermission, type Judgement, type PermissionOptions, type Permitted } from './call-permission.js'
import { beginTool, resultOf } from './call-spans.js'
import { Cancelled, type Asking, type PlacedSpec, type RunIO } from './engine.js'
import { remarksOn } from './left.js'
import { LiveOutput } from './live-output.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { type OpenSpan } from './run-spans.js'
import { briefly } from './shown-call.js'
import { startFiles } from '../../ground/assets.js'

export interface ToolCallsOptions extends PermissionOptions {
  findTool: (name: string) => Tool | undefined
  childEnv: Record<string, string>
  /** What the processes of commands are marked with, before a name of their own. */
  commandMark?: string
  extract?: ToolContext['extract']
  recall?: ToolContext['recall']
  /** Has the model answer a server that works on this call. */
  sample?: (sample: Sample, callId: string, signal: AbortSignal) => Promise<Sampled>
}

/**
 * A call as the model made it. `invalid` says why its arguments could not be read; `announced`:
 * before an interruption it was told of already.
 */
export type ModelCall = ToolCall & { invalid?: string, announced?: boolean }

/** A call whose reading takes longer is announced before it is known whether it asks. */
const announcedMs = 250

/** A result and how long the tool itself took; waiting for permission is not counted. */
interface ToolRun { result: ToolResult, durationS: number, hasRun: boolean }

/** Runs the calls of one step: the policy first, then the user where it says so, then the tool. */
export class ToolCalls {
  readonly #kept: Kept
  readonly #permission: CallPermission
  #images: ToolImage[] = []
  #questions = 0

  constructor (readonly spec: PlacedSpec, readonly io: RunIO, readonly options: ToolCallsOptions) {
    this.#kept = { memory: memoryAccess(io.request), skills: skillAccess(io.request), schedules: scheduleAccess(io.request) }
    this.#permission = new CallPermission(spec, io, options, this.#kept)
  }

  /** Images that tools have answered with since the last call. */
  takeImages (): ToolImage[] {
    const taken = this.#images
    this.#images = []
    return taken
  }

  /** Begins the calls in their order. Those that only read run, or wait for permission, beside each other. */
  async run (calls: ModelCall[]): Promise<LanguageModelV4ToolResultPart[]> {
    const results: Array<Promise<LanguageModelV4ToolResultPart>> = []
    for (const call of calls) {
      const tool = this.options.findTool(call.name)
      const beside = tool !== undefined && (tool.risk === 'read' || tool.risk === 'none')
      const outcome = this.#call(call, tool, beside)
      results.push(outcome)
      // A cancel throws out of here at the call it finds; the others' rejections are then nobody's, and no fault.
      outcome.catch(() => {})
      if (!beside) await outcome
    }
    return await Promise.all(results)
  }

  /** Does a call that belongs to no step: judged, asked about and run like any, and told of by nobody. Throws Cancelled. */
  async serve (tool: Tool, call: ToolCall): Promise<ToolResult> {
    return (await this.#gated(tool, call, true, this.#permission.judge(tool, call.args))).result
  }

  /**
   * What the rules and the user say to a call that somebody else runs: null when it may be done, else why not. Aborting `signal` takes the
   * question back. Throws Cancelled.
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
    // What a call waits for is dealt with below; it is not for this promise alone.
    judgement?.catch(() => {})
    if (call.announced !== true) {
      const judged = judgement === undefined || beside ? undefined : await inTime(announcedMs, judgement)
      // What is going to be asked about cannot begin before that is known.
      const foresight = judged?.judge([]).verdict === 'ask' ? await judged.foresee() : undefined
      io.emit({ t: 'tool', id, name, preview, args, ...(foresight === undefined ? {} : { foresight: briefly(foresight) }) })
    }
    const {
      result, durationS, hasRun
    } = able === undefined || judgement === undefined ? notRun(problem ?? '') : await this.#gated(able, call, beside, judgement)
    if (!hasRun) beginTool(io.spans, tool, call, able !== undefined)?.end({ 'error.type': 'not_run' })
    const isError = result.isError === true
    this.#images.push(...result.images ?? [])
    const replay: LanguageModelV4ToolResultPart = {
      type: 'tool-result', toolCallId: id, toolName: name, output: { type: isError ? 'error-text' : 'text', value: result.text }
    }
    io.emit({ t: 'tool_complete', id, name, preview, args, isError, durationS, result: result.text, replay })
    return replay
  }

  /** A tool that fails is a result, not the end. */
  async #gated (tool: Tool, call: ToolCall, beside: boolean, judgement: Promise<Judgement>): Promise<ToolRun> {
    const { io } = this
    const { id: callId, args } = call
    const from = { callId, beside }
    const permitted = await this.#permission.ask(tool, args, from, await judgement)
    if (typeof permitted === 'string') return notRun(permitted)
    const { verdict, asked, seen } = permitted
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
      return took({ text: error instanceof Error ? error.message : String(error), isError: true })
    }
  }

  /**
   * What runs in the sandbox, or writes without having been asked about, is looked at afterwards; what runs outside is known of meanwhile.
   */
  async #watched (
    tool: Tool, args: Record<string, unknown>, from: Asking, { verdict, asked, seen, span }: Permitted & { span: OpenSpan<'tool'> | undefined }
  ): Promise<ToolResult> {
    const { io, spec, options } = this
    const isCommand = tool.targets(args).command !== undefined
    if (options.boundary === undefined || !(isCommand || (tool.risk === 'write' && !asked))) {
      return await this.#perform(tool, args, from, verdict, { seen, asked, span })
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
      result = { text: error instanceof Error ? error.message : String(error), isError: true }
    }
    return this.#tell(await watch.end(), result)
  }

  /** The user hears of what was left at once; the model in the result. */
  #tell (left: Left, result: ToolResult): ToolResult {
    const remarks = remarksOn(left, null)
    for (const remark of remarks) if (!this.io.signal.aborted) this.io.emit(remark)
    return remarks.length === 0 ? result : { ...result, text: [result.text, ...remarks.map(({ message }) => `[${message}]`)].join('\n') }
  }

  async #perform (
    tool: Tool, args: Record<string, unknown>, from: Asking, { leavesWorkspace, confined }: Verdict,
    { seen, watch, asked = false, span }: {
      seen?: string | undefined, watch?: Watch, asked?: boolean, span: OpenSpan<'tool'> | undefined
    }
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
      // Nothing that is confined has a network.
      childEnv: { ...options.childEnv, ...confined ? {} : variablesOut(false), ...io.planning() ? planEnvironment : {} },
      // Outside paths open only to calls that were let through as such; the rest stay contained, whatever is swapped meanwhile.
      approved: leavesWorkspace,
      asked,
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
      // What is asked in the middle of a call may have had an effect before: after a crash it is not taken for a call that has not begun.
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

/** Hands a plan to the web tier, which keeps it. */
export async function savePlan ({ request }: Pick<RunIO, 'request'>, text: string, version: number | null): Promise<ToolResult> {
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

/** The first argument that does not fit, in words the model can correct itself by. */
function argumentProblem (tool: Tool, args: Record<string, unknown>): string | undefined {
  if (tool.problem !== undefined) return tool.problem(args)
  const error = Value.Errors(tool.parameters, args).First()
  if (error === undefined) return undefined
  const where = error.path === '' ? 'the arguments' : `"${error.path.slice(1).replaceAll('/', '.')}"`
  return `The call does not fit the tool: ${where}: ${error.message}. Correct the arguments and call it again.`
}
