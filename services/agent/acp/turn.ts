import { reason, type Reason } from '../../../reasons/index.js'
import { RequestError } from '@agentclientprotocol/sdk'
import { setMaxListeners } from 'node:events'
import { resolve } from 'node:path'
import { fieldsOf } from '../../ground/fields.js'
import { cutText } from '../../ground/tracing/vocabulary.js'
import { type PlacedSpec, type RunIO } from '../engines/engine.js'
import { savePlan, ToolCalls, type ToolCallsOptions } from '../engines/tool-calls.js'
import { mostPlanChars, planSteps } from '../plan-steps.js'
import { type ModelMessage, type RunEventBody, type TodoItem, type ToldUsage, type ToolCall } from '../protocol.js'
import { limitingOf, type CommandLimiting, type SandboxStatus } from '../sandbox/index.js'
import { type Tool, ToolError, type ToolResult } from '../tools/index.js'
import { AgentCalls, asToolCall, previewOf, resultOf, toolNameOf, type AgentCall, type Allowed } from './calls.js'
import { describedCall, onlyReads, takeRun, takeWrite } from './described-call.js'
import { Files } from './files.js'
import { Forms } from './forms.js'
import { marked, type Marker } from './kept-sessions.js'
import { Permissions, type PermissionsOptions } from './permissions.js'
import { type AgentSession, type TurnHandlers } from './session.js'
import { Terminals } from './terminals.js'
import { readCall, text, type CallNews, type Update } from './wire.js'
import { warned } from '../run-events.js'

export interface AgentTurnOptions extends Omit<ToolCallsOptions, 'findTool' | keyof CommandLimiting> {
  sandbox: SandboxStatus | null
  /** Whether the agent itself runs in the sandbox. */
  isIsolated: boolean
  terminal: Tool
  writeFile: Tool
}

/** How much text and reasoning an agent may send in a turn, in characters. */
const mostChars = 8 * 1024 * 1024

/** How many warnings and notices are shown; if there are more, the turn says so. */
const mostWarnings = 100
/** An agent that sends more notices or plans in a turn is ended. */
const mostNotices = 2_000
const mostPlans = 2_000
/** How many characters of calls that have not ended are held. */
const mostOpenChars = 64 * 1024 * 1024
/** Turns what an agent says and asks for during one turn into events of the service. */
export class AgentTurn implements TurnHandlers {
  readonly calls: AgentCalls
  readonly #permissions: Permissions
  readonly #terminals: Terminals
  readonly #files: Files
  readonly #forms: Forms
  /** Runs calls like those of the service's own tools: confined if possible. */
  readonly #ours: ToolCalls
  /** Judges what the agent runs itself: as outside of the sandbox of commands, since the agent has the network and its own settings. */
  readonly #theirs: ToolCalls
  #text = ''
  #chars = 0
  #context: ToldUsage['context'] | undefined
  #startCostUsd: number | null
  #isOver = false
  #served = 0
  #warnings = 0
  #notices = 0
  #plans = 0
  #isPlanKept = false

  constructor (readonly spec: PlacedSpec, readonly io: RunIO, readonly session: AgentSession, readonly options: AgentTurnOptions) {
    const { sandbox, terminal, writeFile, isIsolated, ...shared } = options
    // Each open request of the agent adds a listener.
    setMaxListeners(0, io.signal)
    this.calls = new AgentCalls(spec.runId)
    this.#startCostUsd = session.costUsd
    const findTool = (): undefined => undefined
    this.#ours = new ToolCalls(spec, io, { ...shared, findTool, ...limitingOf(sandbox) })
    const { boundary: _, ...unwatched } = shared
    this.#theirs = new ToolCalls(spec, io, { ...isIsolated ? unwatched : shared, findTool, sandboxed: false })
    this.#permissions = new Permissions({
      io: { ...io, emit: (event) => this.#emit(event) },
      permit: async (tool, id, signal) => await this.#theirs.permit(tool, { id, name: tool.name, args: {} }, signal),
      describe: (call) => this.#described(call),
      planned: async (call) => await this.#planned(call),
      isForbiddenMode: (id) => session.isForbiddenMode(id)
    })
    this.#terminals = new Terminals({
      terminal, serve: async (tool, args, said) =>
        await this.#serve(tool, args, said !== null && takeRun(this.calls.open(), said, this.#folder(text(args['cwd']))))
    })
    this.#forms = new Forms({
      agent: session.process.agent.displayName,
      ask: async (ask, signal) => await io.askQuestion(ask, { callId: `agent-question-${++this.#served}`, beside: true }, signal),
      warn: (why) => this.#emit(warned('agent_form', reason('agent_asked_unshown', { agent: session.process.agent.displayName, why })))
    })
    this.#files = new Files({
      workspace: spec.workspace,
      readable: spec.readable,
      writeFile,
      caughtUp: async () => await session.process.pipe.caughtUp(),
      serve: async (tool, args) =>
        await this.#serve(tool, args, tool === writeFile && takeWrite(this.calls.open(), String(args['path']), String(args['content'])))
    })
  }

  /** Whether the agent has said or done anything. */
  get isTold (): boolean { return this.#chars > 0 || this.calls.size > 0 }

  update (update: Update): void {
    if (this.#isOver || this.io.signal.aborted) return
    switch (update.type) {
      case 'text': return this.#say('token', update.text)
      case 'thought': return this.#say('reasoning', update.text)
      case 'call': return this.#heard(update.news)
      case 'plan':
        if (++this.#plans > mostPlans) return this.#endFlood('it does not stop planning')
        this.io.todos.set(update.entries.map(({ content, status }, index): TodoItem => ({ id: String(index + 1), content, status })))
        return this.#keepPace()
      case 'usage':
        this.#context = { tokens: update.tokens, length: update.length }
        if (update.costUsd !== null) this.session.costUsd = update.costUsd
        return
      case 'notice':
        if (++this.#notices > mostNotices) return this.#endFlood('it does not stop sending notices')
        return this.#emit({ t: 'warning', kind: 'agent', message: update.message })
      default:
    }
  }

  async request (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    if (this.#isOver) throw RequestError.invalidRequest(undefined, 'The turn is over')
    if (method === 'session/request_permission') {
      const news = readCall(fieldsOf(params['toolCall']))
      const taken = news === null ? null : this.#taken(news, true)
      if (taken === null || signal.aborted || (this.spec.toolset === 'reading' && !onlyReads(taken))) {
        return { outcome: { outcome: 'cancelled' } }
      }
      return await this.#permissions.answer(params, taken, signal)
    }
    if (this.io.signal.aborted) throw RequestError.invalidRequest(undefined, 'The turn was cancelled')
    if (method === 'elicitation/create') return await this.#forms.fill(params, signal)
    if (method.startsWith('terminal/') && method !== 'terminal/create') return await this.#terminals.request(method, params)
    if (this.spec.toolset === 'reading' && method !== 'fs/read_text_file') {
      throw RequestError.invalidRequest(undefined, 'This turn may only read')
    }
    if (method === 'terminal/create') return await this.#terminals.create(params)
    return method === 'fs/read_text_file' ? await this.#files.read(params) : await this.#files.write(params)
  }

  refused (said: Reason): void {
    this.#emit(warned('agent_network', said))
  }

  /** In plan mode: stores the answer as the plan if it looks like one and no plan was stored before. */
  async keepPlan (): Promise<void> {
    if (this.io.planning() && !this.#isPlanKept && planSteps(this.#text).length > 1) await this.#savePlan(this.#text)
  }

  /** Called when the prompt is answered: closes open calls and emits the last step. */
  end (usage: Extract<RunEventBody, { t: 'step' }>['usage'], marker: Marker, cut?: Extract<RunEventBody, { t: 'step' }>['cut']): void {
    this.close('The agent has ended its turn without telling what came of this call.')
    if (this.#text === '' && this.calls.size > 0) this.#say('token', cut?.message ?? '[The agent has ended here without further words.]')
    const cost = this.session.costUsd
    const costUsd = cost === null ? undefined : Math.max(0, cost - (this.#startCostUsd ?? 0))
    const message: ModelMessage = marked({ role: 'assistant', content: [{ type: 'text', text: this.#text }] }, marker)
    this.#isOver = true
    this.io.emit({
      t: 'step',
      message,
      toolCalls: [],
      usage,
      ...(cut === undefined ? {} : { cut }),
      told: {
        source: usage === null ? 'none' : 'agent', ...(this.#context === undefined ? {} : { context: this.#context }),
        ...(costUsd === undefined ? {} : { costUsd })
      }
    })
  }

  /** Ends commands, and gives calls that have not ended a result that says why. */
  close (why: string): void {
    this.#terminals.close()
    if (this.io.signal.aborted) return
    for (const call of this.calls.open()) this.#complete(call, why, true)
  }

  /** Stores the plan that comes with a request to leave plan mode. The user decides about the plan later. */
  async #planned ({ input, texts = [] }: AgentCall): Promise<boolean> {
    if (!this.io.planning()) return false
    const plan = text(input?.['plan']) ?? texts.join('\n\n')
    if (plan.trim() !== '') await this.#savePlan(plan)
    return true
  }

  async #savePlan (plan: string): Promise<void> {
    const { text: said, isError, why } = await savePlan(this.io, plan.slice(0, mostPlanChars), this.spec.planning?.plan?.version ?? null)
    const agent = this.session.process.agent.displayName
    if (why === 'edited') this.#emit(warned('plan', reason('agent_plan_after_edit', { agent })))
    else if (why === 'no_steps') this.#emit(warned('plan', reason('agent_plan_without_steps', { agent })))
    else if (isError === true) this.#emit(warned('plan', reason('agent_plan_unsaved', { agent, why: said.slice(0, 400) })))
    else this.#isPlanKept = true
  }

  #say (t: 'token' | 'reasoning', said: string): void {
    if (said === '') return
    this.#chars += said.length
    if (this.#chars > mostChars) return this.#endFlood('it does not stop talking')
    if (t === 'token') this.#text += said
    this.#emit({ t, text: said })
  }

  #heard (news: CallNews): void {
    const call = this.#taken(news)
    if (call === null || call.isOver || (news.status !== 'completed' && news.status !== 'failed')) return
    const isError = news.status === 'failed'
    this.#complete(call, resultOf(call, (id) => this.#terminals.textOf(id)), isError)
  }

  /** Takes in news about a call, and announces the call when it is first seen, in any message. */
  #taken (news: CallNews, begins = false): AgentCall | null {
    const taken = this.calls.take(news, begins)
    if (taken === null) return null
    if (this.calls.openChars > mostOpenChars) this.#endFlood('it tells more of its calls than can be kept')
    if (taken.isNew) this.#announce(taken.call)
    return taken.call
  }

  #announce (call: AgentCall): void {
    const toolCall = asToolCall(call)
    const text = this.#text
    this.#text = ''
    this.#emit({
      t: 'step',
      message: {
        role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), {
          type: 'tool-call', toolCallId: toolCall.id, toolName: toolCall.name, input: toolCall.args
        }]
      },
      toolCalls: [toolCall],
      usage: null
    })
    if (text !== '') this.#emit({ t: 'segment', text })
    this.#emit({ t: 'tool', ...toolCall, preview: previewOf(call) })
  }

  #complete (call: AgentCall, result: string, isError: boolean): void {
    const toolCall = { ...asToolCall(call), name: toolNameOf(call) }
    const durationS = (performance.now() - call.startedMs) / 1000
    this.#trace(toolCall, call.startedMs, result, isError)
    this.#emit({ t: 'tool_complete', ...toolCall, preview: previewOf(call), isError, durationS, result })
    this.calls.end(call)
  }

  #trace ({ id, name, args }: ToolCall, startedMs: number, result: string, isError: boolean): void {
    const { spans } = this.io
    if (spans === undefined || this.#isOver) return
    spans.begin('tool', {
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.type': 'extension',
      ...(isError && { 'error.type': 'tool_error' }),
      ...(spans.hasTexts && { 'gen_ai.tool.call.arguments': cutText(JSON.stringify(args)), 'gen_ai.tool.call.result': cutText(result) })
    }, startedMs).end()
  }

  #emit (event: RunEventBody): void {
    if (this.#isOver || this.io.signal.aborted) return
    if (event.t === 'warning' && ++this.#warnings >= mostWarnings) {
      if (this.#warnings > mostWarnings) return
      event = { ...event, message: 'The agent has more to say than is shown here.' }
    }
    this.io.emit(event)
    this.#keepPace()
  }

  /** Stops reading from the agent if too much of what it has said is not stored yet. */
  #keepPace (): void {
    const drained = this.io.drained()
    if (drained !== undefined) this.session.process.pipe.hold(drained)
  }

  /** Ends the process with this reason, and with it all of its turns: an agent cannot be silenced in any other way. */
  #endFlood (why: string): void {
    void this.session.process.close(why)
  }

  #described (call: AgentCall): ReturnType<PermissionsOptions['describe']> {
    let write: Allowed | null = null
    const tool = describedCall(this.spec.model.provider, { ...call }, (path, text) => { write = { path, text } })
    const { command, cwd } = tool.targets({})
    return { tool, allows: () => command !== undefined ? [{ command, cwd: this.#folder(cwd) }] : write === null ? [] : [write] }
  }

  #folder (cwd: string | undefined): string {
    return resolve(this.spec.workspace, cwd ?? '.')
  }

  /** Runs one of the service's tools for the agent; `isAllowed`: the user has already allowed exactly this. */
  async #serve (tool: Tool, args: Record<string, unknown>, isAllowed: boolean): Promise<ToolResult> {
    const { sandbox, terminal: _, writeFile: __, isIsolated: ___, ...shared } = this.options
    const calls = isAllowed
      ? new ToolCalls(this.spec, this.#answering(), { ...shared, findTool: () => undefined, ...limitingOf(sandbox) })
      : this.#ours
    // The card may be answered after the turn has ended.
    const run: Tool['run'] = async (...given) => {
      if (this.#isOver) throw new ToolError('The turn is over.')
      return await tool.run(...given)
    }
    return await calls.serve({ ...tool, run }, { id: `agent-${this.spec.runId.slice(-8)}-${++this.#served}`, name: tool.name, args })
  }

  /** Returns an IO that answers yes to approvals, for a call that is already allowed, except where only a person may answer. */
  #answering (): RunIO {
    const { io } = this
    return {
      ...io, askApproval: async (ask, from, signal) =>
        ask.personal === true ? await io.askApproval(ask, from, signal) : { choice: 'once', foresight: ask.foresight, isByYolo: false }
    }
  }
}
