import { Value } from '@sinclair/typebox/value'
import { type LanguageModelV3ToolResultPart } from '@ai-sdk/provider'
import { realPath } from '../../containment.js'
import { decide, onlyLooks, type PolicyContext, type Verdict } from '../policy/index.js'
import { type RunSpec, type ToolCall } from '../protocol.js'
import { type Tool, type ToolResult } from '../tools/index.js'
import { Cancelled, type RunIO } from './engine.js'
import { untilAborted } from './model-step.js'

export interface ToolCallsOptions {
  tools: Tool[]
  /** Terminal commands can be confined. */
  sandboxed: boolean
  policy: Pick<PolicyContext, 'home' | 'otherHomes' | 'serviceRoots'>
  childEnv: Record<string, string>
}

/** A call as the model made it. `invalid` says why its arguments could not be read; `announced`: before an interruption it was told of already. */
export type ModelCall = ToolCall & { invalid?: string, announced?: boolean }

/** A result and how long the tool itself took; waiting for permission is not counted. */
interface ToolRun { result: ToolResult, durationS: number }

/** Runs the calls of one step: the policy first, then the user where it says so, then the tool. */
export class ToolCalls {
  constructor (readonly spec: RunSpec, readonly io: RunIO, readonly options: ToolCallsOptions) {}

  /** Begins the calls in their order. Those that only read run, or wait for permission, beside each other. */
  async run (calls: ModelCall[]): Promise<LanguageModelV3ToolResultPart[]> {
    const results: Array<Promise<LanguageModelV3ToolResultPart>> = []
    for (const call of calls) {
      const tool = this.options.tools.find((candidate) => candidate.name === call.name)
      const beside = tool !== undefined && (tool.risk === 'read' || tool.risk === 'none')
      const outcome = this.#call(call, tool, beside)
      results.push(outcome)
      // A cancel throws out of here at the call it finds; the others' rejections are then nobody's, and no fault.
      outcome.catch(() => {})
      if (!beside) await outcome
    }
    return await Promise.all(results)
  }

  async #call (call: ModelCall, tool: Tool | undefined, beside: boolean): Promise<LanguageModelV3ToolResultPart> {
    const { io } = this
    const { id, name, args } = call
    const problem = call.invalid ?? (tool === undefined ? `There is no tool called ${name}.` : argumentProblem(tool, args))
    const preview = problem === undefined ? tool!.preview(args) : ''
    if (call.announced !== true) io.emit({ t: 'tool', id, name, preview, args })
    const { result, durationS } = problem === undefined ? await this.#gated(tool!, call, beside) : notRun(problem)
    const isError = result.isError === true
    const replay: LanguageModelV3ToolResultPart = {
      type: 'tool-result', toolCallId: id, toolName: name, output: { type: isError ? 'error-text' : 'text', value: result.text }
    }
    io.emit({ t: 'tool_complete', id, name, preview, args, isError, durationS, result: result.text, replay })
    return replay
  }

  /** A tool that fails is a result, not the end. */
  async #gated (tool: Tool, { id: callId, args }: ToolCall, beside: boolean): Promise<ToolRun> {
    const { io, spec } = this
    const from = { callId, beside }
    const verdict = decide({ tool, args }, {
      ...this.options.policy,
      workspace: spec.workspace,
      readable: spec.readable,
      sandboxed: this.options.sandboxed,
      grants: io.grants,
      denied: spec.denied,
      yolo: io.yolo(),
      attended: spec.attended
    })
    const early = verdict.verdict === 'ask' || tool.name === 'clarify' ? null : io.letGo(callId)
    if (verdict.verdict === 'forbid') return notRun(verdict.reason ?? 'This call is not permitted.')
    if (verdict.verdict === 'ask') {
      const { command, description, patternKey, patternKeys, maxScope } = verdict
      const choice = await io.askApproval({ command, description, patternKey, patternKeys, maxScope }, from)
      if (choice === null) return notRun('Nobody answered the request for approval in time, so this was not done. Do not try it in another way; go on without it or say what you would need.')
      if (choice === 'deny') return notRun(denied)
    }
    if (early === 'deny') return notRun(denied)
    if (mayChangeFiles(tool, args)) await untilAborted(io.checkpoint(), io.signal)
    const startedMs = performance.now()
    const took = (result: ToolResult): ToolRun => ({ result, durationS: (performance.now() - startedMs) / 1000 })
    try {
      return took(await untilAborted(this.#perform(tool, args, from, verdict), io.signal))
    } catch (error) {
      if (io.signal.aborted) throw new Cancelled()
      return took({ text: error instanceof Error ? error.message : String(error), isError: true })
    }
  }

  async #perform (tool: Tool, args: Record<string, unknown>, from: { callId: string, beside: boolean }, { leavesWorkspace, confined }: Verdict): Promise<ToolResult> {
    const { io, spec, options } = this
    return await tool.run(args, {
      workspace: spec.workspace,
      sessionId: spec.sessionId,
      runId: spec.runId,
      signal: io.signal,
      childEnv: options.childEnv,
      // Outside paths open only to calls that were let through as such; the rest stay contained, whatever is swapped meanwhile.
      approved: leavesWorkspace,
      readable: spec.readable.map(realPath),
      confined,
      hidden: [options.policy.home, ...options.policy.otherHomes ?? [], ...options.policy.serviceRoots],
      clarify: (ask) => io.askQuestion(ask, from),
      delegate: (task) => io.delegate(from.callId, task),
      setTodos: io.todos.set,
      getTodos: io.todos.get
    })
  }
}

const denied = 'The user denied this call. Do not try the same thing in other words; ask what they would like instead, or go on without it.'

function mayChangeFiles (tool: Tool, args: Record<string, unknown>): boolean {
  if (tool.risk === 'write') return true
  return tool.risk === 'execute' && !onlyLooks(tool.targets(args).command ?? '')
}

function notRun (why: string): ToolRun {
  return { result: { text: why, isError: true }, durationS: 0 }
}

/** The first argument that does not fit, in words the model can correct itself by. */
function argumentProblem (tool: Tool, args: Record<string, unknown>): string | undefined {
  const error = Value.Errors(tool.parameters, args).First()
  if (error === undefined) return undefined
  const where = error.path === '' ? 'the arguments' : `"${error.path.slice(1).replaceAll('/', '.')}"`
  return `The call does not fit the tool: ${where}: ${error.message}. Correct the arguments and call it again.`
}
