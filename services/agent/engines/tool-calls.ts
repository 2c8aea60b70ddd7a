import { Value } from '@sinclair/typebox/value'
import { type LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { inEnglish } from '../../../reasons/index.js'
import { realPath } from '../../ground/containment.js'
import { variablesOut } from '../../ground/proxy/way-out.js'
import { type Comparer, foresee } from '../foresight/index.js'
import { type CommandReader, decide, onlyLooks, orderOf, planEnvironment, type PolicyContext, type Verdict } from '../policy/index.js'
import { type Foresight, type ToolCall } from '../protocol.js'
import { type Boundary, type CommandLimiting, type Left, type Suspect, type Watch } from '../sandbox/index.js'
import {
  type Kept, memoryAccess, scheduleAccess, skillAccess, ToolError, type Tool, type Sample, type Sampled, type ToolContext, type ToolImage,
  type ToolResult
} from '../tools/index.js'
import { beginTool, resultOf } from './call-spans.js'
import { Cancelled, type Asking, type PlacedSpec, type RunIO } from './engine.js'
import { remarksOn } from './left.js'
import { LiveOutput } from './live-output.js'
import { untilAborted } from './model-step.js'
import { type OpenSpan } from './run-spans.js'
import { briefly, broughtBy, moreThanShown, mostShownChars } from './shown-call.js'
import { startFiles } from '../../ground/assets.js'

/** `sandboxed`: terminal commands can be confined, or limited by the container. */
export interface ToolCallsOptions extends CommandLimiting {
  findTool: (name: string) => Tool | undefined
  policy: Pick<PolicyContext, 'home' | 'otherHomes' | 'serviceRoots' | 'programRoots'>
  childEnv: Record<string, string>
  /** Reads the command lines that are to be judged. */
  readCommand: CommandReader
  /** Compares a file with what a call would make of it. */
  compare: Comparer
  /** Watches what commands leave in workspaces for git to run. */
  boundary?: Boundary
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

/** What the rules say to a call, and what it would do, each found out once. */
interface Judgement {
  judge: (suspects: readonly Suspect[]) => Verdict
  /** Undefined when it could not be found out in time. */
  foresee: () => Promise<Foresight | undefined>
}

/** A result and how long the tool itself took; waiting for permission is not counted. */
interface ToolRun { result: ToolResult, durationS: number, hasRun: boolean }

/** A call that may be done: by what rule, whether somebody was asked, and which state of its file they were shown. */
interface Permitted { verdict: Verdict, asked: boolean, seen: string | undefined }

/** Runs the calls of one step: the policy first, then the user where it says so, then the tool. */
export class ToolCalls {
  readonly #kept: Kept
  #images: ToolImage[] = []
  #questions = 0

  constructor (readonly spec: PlacedSpec, readonly io: RunIO, readonly options: ToolCallsOptions) {
    this.#kept = { memory: memoryAccess(io.request), skills: skillAccess(io.request), schedules: scheduleAccess(io.request) }
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
    return (await this.#gated(tool, call, true, this.#judge(tool, call.args))).result
  }

  /**
   * What the rules and the user say to a call that somebody else runs: null when it may be done, else why not. Aborting `signal` takes the
   * question back. Throws Cancelled.
   */
  async permit (tool: Tool, { id, args }: ToolCall, signal: AbortSignal): Promise<string | null> {
    const permitted = await this.#permitted(tool, args, { callId: id, beside: true }, await this.#judge(tool, args), signal)
    return typeof permitted === 'string' ? permitted : null
  }

  async #call (call: ModelCall, tool: Tool | undefined, beside: boolean): Promise<LanguageModelV4ToolResultPart> {
    const { io } = this
    const { id, name, args } = call
    const problem = call.invalid ?? (tool === undefined ? `There is no tool called ${name}.` : argumentProblem(tool, args))
    const able = problem === undefined ? tool : undefined
    const preview = able?.preview(args) ?? ''
    const judgement = able && this.#judge(able, args)
    // What a call waits for is dealt with below; it is not for this promise alone.
    judgement?.catch(() => {})
    if (call.announced !== true) {
      const judged = judgement === undefined || beside ? undefined : await within(announcedMs, judgement)
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
    const permitted = await this.#permitted(tool, args, from, await judgement)
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
   * What the rules and the user say to a call: its verdict, whether somebody was asked, and of which
   * file; or why it is not done, for the model.
   */
  async #permitted (
    tool: Tool, args: Record<string, unknown>, from: Asking, { judge, foresee }: Judgement, signal?: AbortSignal
  ): Promise<Permitted | string> {
    const { io, options } = this
    const isWithdrawn = (): boolean => signal?.aborted === true
    const seen = new Set<string>()
    let suspects = await this.#suspects(judge([]), tool, args, seen)
    let verdict = judge(suspects)
    const early = verdict.verdict === 'ask' || tool.name === 'clarify' ? null : io.letGo(from.callId)
    if (early === 'deny' && verdict.verdict !== 'forbid') return denied
    let asked = false
    let shown: Foresight | undefined
    while (verdict.verdict === 'ask') {
      const { command, description, reasons, patternKey, patternKeys, maxScope } = verdict
      const foresight = await foresee()
      if (tool.propose !== undefined && foresight?.change === undefined) return unshown
      // Nobody is asked about what cannot be done.
      if (foresight?.change !== undefined && 'fails' in foresight.change && foresight.change.fails !== undefined) {
        return foresight.change.fails
      }
      if (isWithdrawn()) return withdrawn
      const content = broughtBy(tool, args, foresight, `${command}\n${description}`)
      if (content !== undefined && content.length > mostShownChars) return moreThanShown
      const answer = await io.askApproval({
        command, ...(tool.targets(args).command === undefined ? {} : { isCommandLine: true }), description, reasons, patternKey,
        patternKeys, maxScope, ...(content === undefined ? {} : { content: { text: content, isCut: false } }),
        ...(suspects.length > 0 ? { personal: true } : {}), foresight
      }, from, signal)
      if (answer === null && isWithdrawn()) return withdrawn
      if (answer === null) {
        return 'Nobody answered the request for approval in time, so this was not done. Do not try it in another way; go on without it or say what you would need.'
      }
      if (answer.choice === 'deny') return denied
      asked = true
      shown = answer.foresight
      for (const { said } of suspects) seen.add(inEnglish(said))
      await options.boundary?.seen(suspects)
      // Whoever has just said yes is asked again only when there is more to look at.
      suspects = await this.#suspects(judge([]), tool, args, seen)
      // Plan mode may have been switched on while the card was open.
      const now = judge(suspects)
      if (suspects.length === 0 && now.verdict !== 'forbid') break
      verdict = now
    }
    if (asked && tool.propose !== undefined && !(shown?.change !== undefined && 'diff' in shown.change)) {
      return shown?.change?.note ?? unshown
    }
    return verdict.verdict === 'forbid'
      ? verdict.reason ?? 'This call is not permitted.'
      : { verdict, asked, seen: shown?.change !== undefined && 'diff' in shown.change ? shown.change.seen : undefined }
  }

  /** Reads a call once, and judges it as often as what is known beside it changes. */
  async #judge (tool: Tool, args: Record<string, unknown>): Promise<Judgement> {
    const { io, spec, options } = this
    const kept = this.#kept
    const lands = { ...options.policy, workspace: spec.workspace, readable: spec.readable }
    const order = orderOf({ tool, args }, lands)
    const reading = order === null ? null : await untilAborted(options.readCommand(order, spec.runId, io.signal), io.signal)
    const judge: Judgement['judge'] = (suspects) => decide({ tool, args }, {
      ...lands,
      sandboxed: options.sandboxed,
      limitedBy: options.limitedBy,
      suspects: suspects.map(({ said }) => said),
      grants: io.grants,
      denied: spec.denied,
      yolo: io.yolo(),
      planning: io.planning(),
      attended: spec.attended
    }, reading)
    let foreseen: Promise<Foresight | undefined> | undefined
    return {
      judge,
      foresee () {
        const { compare } = options
        // The question is asked whatever becomes of this.
        foreseen ??= untilAborted(within(tool.propose === undefined ? foresightLimitMs : proposalLimitMs, foresee(tool, args, {
          workspace: spec.workspace, readable: spec.readable, reading, confined: judge([]).confined, limitedBy: options.limitedBy,
          compare, signal: io.signal, kept
        }).catch(() => undefined)), io.signal)
        return foreseen
      }
    }
  }

  /**
   * What a person has to look at before this call, a command outside the sandbox, lets git run: a card's worth of what was not shown yet.
   */
  async #suspects (
    { verdict, confined, leavesWorkspace }: Verdict, tool: Tool, args: Record<string, unknown>, seen: ReadonlySet<string>
  ): Promise<Suspect[]> {
    const { io, spec, options: { boundary } } = this
    if (boundary === undefined || tool.targets(args).command === undefined) return []
    if (confined || verdict === 'forbid') return []
    // A command that leaves the workspace may go to any other one.
    const found = await untilAborted(boundary.suspects(leavesWorkspace ? null : spec.workspace), io.signal)
    return found.filter(({ said }) => !seen.has(inEnglish(said))).slice(0, mostShown)
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
    const remarks = remarksOn(left, 'a command in the sandbox')
    for (const { kind, message } of remarks) if (!this.io.signal.aborted) this.io.emit({ t: 'warning', kind, message })
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
      mayFetch: async (url) => (await this.#judge(tool, { url })).judge([]).verdict === 'allow',
      setTodos: io.todos.set,
      getTodos: io.todos.get,
      output: output.push
    }).finally(output.end)
  }
}

/** Hands a plan to the web tier, which keeps it. */
export async function savePlan ({ request }: Pick<RunIO, 'request'>, text: string, version: number | null): Promise<ToolResult> {
  const answered = await request('plan_save', { text, version })
  return 'answer' in answered ? answered.answer : { text: `The plan could not be saved: ${answered.error.message}.`, isError: true }
}

/** A call whose reading takes longer is announced before it is known whether it asks. */
const announcedMs = 250
/** The question is asked so soon, with what is known. */
const foresightLimitMs = 3_000
/** What outlasts the conversation is not asked about unseen, however long it takes to be shown. */
const proposalLimitMs = 30_000
const unshown = 'What this would change could not be shown to the user, so it was not done and they were not asked. Call again, with less of a change.'

/** Undefined when it takes longer. */
async function within<T> (limitMs: number, found: Promise<T | undefined>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => { timer = setTimeout(() => resolve(undefined), limitMs) })
  return await Promise.race([found, late]).finally(() => clearTimeout(timer))
}

/** So many entries of a folder are shown on one card; the rest follows on the next. */
const mostShown = 12
const withdrawn = 'This was not asked about any more.'
const denied = 'The user denied this call. Do not try the same thing in other words; ask what they would like instead, or go on without it.'

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
