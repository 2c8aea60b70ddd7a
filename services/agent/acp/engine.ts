import { setTimeout as delay } from 'node:timers/promises'
import { reason } from '../../../reasons/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { type CutShort, type RunError, type RunSpec } from '../protocol.js'
import { TurnBudget } from '../engines/budget.js'
import { Cancelled, type Engine, type PlacedSpec, type RunIO, type RunOutcome } from '../engines/engine.js'
import { leftWarnings } from '../engines/left-warnings.js'
import { ModelGaveUp } from '../engines/model-calls.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { type ToolCallsOptions } from '../engines/tool-calls.js'
import { acceptedCommand, acceptedRules } from '../engines/acceptance.js'
import { agentModelOf, fitEffort, type ConfiguredAgent } from '../../providers/index.js'
import { type CommandLimiting, type SandboxStatus } from '../sandbox/index.js'
import { planInstructions } from '../plan-words.js'
import { type Tool } from '../tools/index.js'
import { createTerminal } from '../tools/terminal.js'
import { createWriteFile } from '../tools/write-file.js'
import { acceptSettings } from './accepted-settings.js'
import { type Agents, type OpenedSession } from './agents.js'
import { changesAsking } from './asking-commands.js'
import { AgentFailure, agentFailure } from './failure.js'
import { type Place } from './isolation.js'
import { effortOf } from './offer.js'
import { modeRule, notPassedOn, turnMode, type Purpose } from './modes.js'
import { type AgentProcess } from './process.js'
import { type AgentSession } from './session.js'
import { AgentTurn } from './turn.js'
import { promptBlocks, toldHistory } from './prompt-text.js'
import { readTurnUsage, text } from './wire.js'
import { warned } from '../run-events.js'

export interface AgentEngineOptions extends Omit<ToolCallsOptions, 'findTool' | keyof CommandLimiting | 'extract' | 'recall' | 'sample'> {
  agents: Agents
  /** How terminal commands can be confined here. */
  sandbox (): Promise<SandboxStatus>
}

const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false, lastPromptTokens: 0 }
/** How long a cancelled agent may take to confirm that; after that its process is ended, and its other turns with it. */
const cancelGraceMs = 4_000

const cuts: Readonly<Record<string, CutShort>> = {
  max_tokens: {
    reason: 'length', message: 'The answer was cut short: it has reached the length that one answer may have.',
    hint: 'Send "continue" to let the agent go on.'
  },
  max_turn_requests: {
    reason: 'length', message: 'The agent has reached the limit of steps that it sets itself for one turn.',
    hint: 'Send "continue" to let it go on.'
  }
}

const withoutWishes: RunError = {
  type: 'unsupported', message: 'An agent of another maker takes no tools, format, limit of tokens or sampling from the program that sends a message.',
  hint: 'Choose a model, or leave these out.'
}

/** Creates the engine for third-party agents. They have a loop and tools of their own; the service's rules judge what they ask for. */
export function createAgentEngine (options: AgentEngineOptions): Engine {
  return {
    async run (spec, io) {
      if (spec.client !== undefined) return failed(withoutWishes)
      try {
        return await runIn(spec, io, options.agents.agent(spec.model.provider), options)
      } catch (error) {
        if (io.signal.aborted || error instanceof Cancelled) throw new Cancelled()
        if (error instanceof AgentFailure) return failed(atLimit(error, spec, options))
        if (error instanceof ModelGaveUp) return failed(error.failure)
        throw error
      }
    }
  }
}

/** Adds the limit of an agent's subscription to its failure, in the form of a provider's limit. */
function atLimit (
  { failure, limit }: AgentFailure, { model: { provider, id } }: RunSpec, { agents }: Pick<AgentEngineOptions, 'agents'>
): RunError {
  return limit === null ? failure : { ...failure, limit: { provider, id, name: agents.agent(provider).displayName, waitMs: limit.waitMs } }
}

/** Runs the turn in the agent's sandbox, if it has one, and checks what it has left in the workspace. */
async function runIn (spec: PlacedSpec, io: RunIO, agent: ConfiguredAgent, options: AgentEngineOptions): Promise<RunOutcome> {
  const { agents, boundary } = options
  const place = await agents.placeOf(agent, spec)
  // The agent's own program may continue the conversation as soon as the turn is over, and some allow only one program at a time.
  const apart = spec.attached?.agent === agent.id ? spec.sessionId : undefined
  const run = async (process: AgentProcess): Promise<RunOutcome> => await new AgentRun(spec, io, agent, process, options, place).run()
  const { isolation } = place
  if (isolation === null || boundary === undefined) return await agents.running.use(agent, isolation, run, { signal: io.signal, apart })
  const watch = await boundary.begin(isolation.workspace, io.signal)
  let rest = Promise.resolve()
  try {
    const { repositories, sockets } = watch
    const watched = { ...isolation, repositories, sockets }
    return await agents.running.use(agent, watched, run, { signal: io.signal, apart, onRest: (resting) => { rest = resting } })
  } finally {
    const left = rest.then(async () => await watch.end())
    // A cancelled turn is over at once, its agent a little later.
    if (io.signal.aborted) left.catch(() => {})
    else for (const remark of leftWarnings(await left, agent.displayName)) io.emit(remark)
  }
}

function failed ({ type, message, hint, limit }: RunError): RunOutcome {
  // Only the agent knows what it asked its own provider for, and how often.
  return {
    state: 'failed', usage: noUsage,
    error: { type, message, ...(hint === undefined ? {} : { hint }), ...(limit === undefined ? {} : { limit }), attempts: 1 }
  }
}

class AgentRun {
  constructor (
    readonly spec: PlacedSpec, readonly io: RunIO, readonly agent: ConfiguredAgent, readonly process: AgentProcess,
    readonly options: AgentEngineOptions, readonly place: Place
  ) {}

  async run (): Promise<RunOutcome> {
    const { spec, io, agent, process, options } = this
    const { agents } = options
    if (io.signal.aborted) throw new Cancelled()
    const accepted = await this.#accepted()
    await acceptSettings(spec, io, agent, options.boundary)
    if (agent.unaskedModes !== true && changesAsking(accepted ?? spec.input?.text ?? '')) throw notPassedOn(agent)
    const stopped = await new TurnBudget(spec, io).check(true)
    if (stopped !== null) return this.#endHere(stopped)
    const sandbox = spec.sandbox === 'auto' ? await options.sandbox() : null
    // It may write without asking, and reports that only afterwards.
    if (spec.planning === undefined || this.place.isolation === null) await untilAborted(io.checkpoint(), io.signal)
    const opened = await untilAborted(agents.open(agent, process, spec), io.signal)
    const { session, known, leftOut } = opened
    this.#sayPlace(opened)
    if (leftOut.length > 0) {
      io.emit(warned('agent_mcp', reason('agent_without_servers', { agent: agent.displayName, servers: leftOut.join(', ') })))
    }
    this.#sayPlanning(session)
    await untilAborted(session.choose(this.#wanted(session), modeRule(agent, this.#purpose, session.options.mode)), io.signal)
    const history = spec.history.slice(known)
    const blocks = await untilAborted(
      promptBlocks(spec, accepted, told(spec, toldHistory(history, known === 0 ? spec.summary : undefined)), this.#seesImages()), io.signal
    )
    return await this.#prompt(opened, blocks, new AgentTurn(spec, io, session, {
      ...options, sandbox, isIsolated: this.place.isolation !== null, ...toolsFor(sandbox)
    }))
  }

  /** Warns, once in a conversation, that the agent is not confined although the user did not choose that. */
  #sayPlace ({ turn }: OpenedSession): void {
    const { spec, io, agent, place } = this
    if (place.isolation !== null || place.why === null || spec.sandbox === 'off' || turn !== 1) return
    io.emit(warned('agent_not_isolated', reason('agent_unconfined', { agent: agent.displayName, why: place.why })))
  }

  get #purpose (): Purpose {
    const { toolset, planning } = this.spec
    return toolset === 'reading' ? 'reading' : planning === undefined ? 'all' : 'planning'
  }

  /** Warns if only the agent's own mode keeps it from changing things. Throws AgentFailure if it has no such mode either. */
  #sayPlanning (session: AgentSession): void {
    const { spec, io, agent, place } = this
    if (spec.planning === undefined || place.isolation !== null) return
    const isReading = session.options.mode?.values.some(({ id }) => modeRule(agent, 'reading', null)(id)) === true
    if (agent.unaskedModes === true && !isReading) {
      throw agentFailure(
        'mode_not_allowed', `${agent.displayName} acts without asking, has no mode in which it only reads, and does not run in the sandbox, so plan mode cannot hold it.`,
        'Let it run in the sandbox (Settings, Agents), choose another model, or switch plan mode off.'
      )
    }
    io.emit(warned('agent_plan_unheld', reason('agent_plan_unheld', { agent: agent.displayName })))
  }

  async #prompt (opened: OpenedSession, blocks: unknown[], turn: AgentTurn): Promise<RunOutcome> {
    const { spec, io, agent, options: { agents } } = this
    const { session } = opened
    await agents.keep(agent, spec, opened, true)
    const stop = (): void => { void this.#stop(session) }
    io.signal.addEventListener('abort', stop, { once: true })
    try {
      const answer = await untilAborted(session.prompt(blocks, turn, io.spans?.traceparent), io.signal)
      void agents.note(agent, session)
      return await this.#answered(answer, opened, turn)
    } catch (error) {
      if (!io.signal.aborted) {
        turn.close(session.isBusy
          ? 'The turn was ended before this call had a result.'
          : 'The agent was gone before this call had a result.')
      }
      if (!io.signal.aborted && session.isBusy) void this.#stop(session)
      throw error
    } finally {
      io.signal.removeEventListener('abort', stop)
      turn.close('')
    }
  }

  async #answered (answer: Readonly<Record<string, unknown>>, opened: OpenedSession, turn: AgentTurn): Promise<RunOutcome> {
    const { spec, agent, options: { agents } } = this
    const reason = text(answer['stopReason']) ?? ''
    if (reason === 'cancelled') {
      throw agentFailure('error', `${agent.displayName} has stopped by itself.`, 'Send the message again to retry.')
    }
    if (reason === 'refusal') {
      throw agentFailure('error', `${agent.displayName} refuses to go on with this.`, 'Ask in other words, or begin a new conversation.')
    }
    const cut = cuts[reason]
    if (!turn.isTold && cut === undefined) {
      throw agentFailure('no_response', `${agent.displayName} has answered with nothing.`, 'Send the message again to retry.')
    }
    const usage = readTurnUsage(answer)
    await turn.keepPlan()
    turn.end(usage, { agent: agent.id, session: opened.session.id, turn: opened.turn }, cut)
    await agents.keep(agent, spec, opened, false)
    return { state: 'done', usage: { ...usage ?? noUsage, lastPromptTokens: 0 } }
  }

  /** Stops the agent after the person has stopped the turn; ends its process if it does not react. */
  async #stop (session: AgentSession): Promise<void> {
    session.cancel()
    for (let waitedMs = 0; session.isBusy && waitedMs < cancelGraceMs; waitedMs += 50) {
      await delay(50, undefined, { ref: false })
    }
    session.mute()
    if (session.isBusy) await session.process.close('it did not stop when it was told to')
  }

  /**
   * Returns the text of the custom command behind the message, if it was changed without asking and a person has accepted that; else null.
   * The agent reads rules itself, so if those were changed it does not begin before a person has agreed.
   */
  async #accepted (): Promise<string | null> {
    const { spec, io, options: { boundary } } = this
    if (spec.changedRules !== undefined && await acceptedRules(spec, io, boundary) === spec.system) {
      throw agentFailure(
        'error',
        `The instructions of this workspace were changed without asking, and nobody has accepted the change. ${this.agent.displayName} reads them automatically, so the turn did not start.`,
        'Check AGENTS.md or similar files, and send the message again.'
      )
    }
    return await acceptedCommand(spec, io, boundary)
  }

  #wanted (session: AgentSession): { model: string | null, mode: string | null, effort: string | null } {
    const { spec: { model: { id, effort } }, agent } = this
    const { model, mode } = agentModelOf(id)
    const { effort: efforts } = session.options
    const level = effort === undefined
      ? undefined
      : fitEffort(effort, (efforts?.values ?? []).flatMap((value) => effortOf(value.id) ?? []))
    return {
      model, mode: turnMode(agent, this.#purpose, mode, session.ownMode, session.options.mode),
      effort: efforts?.values.find((value) => level !== undefined && effortOf(value.id) === level)?.id ?? null
    }
  }

  #seesImages (): boolean {
    const { promptCapabilities } = fieldsOf(this.process.initialized['agentCapabilities'])
    return fieldsOf(promptCapabilities)['image'] === true
  }

  #endHere (cut: CutShort): RunOutcome {
    this.io.emit({ t: 'token', text: cut.message })
    this.io.emit({
      t: 'step', message: { role: 'assistant', content: [{ type: 'text', text: cut.message }] }, toolCalls: [], usage: null, cut
    })
    return { state: 'done', usage: noUsage, terminalState: 'budget_exhausted' }
  }
}

/** Returns the text that precedes the message; null if there is none. */
function told ({ planning }: Pick<PlacedSpec, 'planning'>, history: string | null): string | null {
  const parts = [history, planning === undefined ? null : `[${planInstructions({ ...planning, how: 'answer' })}]`].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join('\n\n')
}

const toolboxes = new Map<boolean, { terminal: Tool, writeFile: Tool }>()

/** Returns the service's tools that do what an agent asks its client for. */
function toolsFor (sandbox: SandboxStatus | null): { terminal: Tool, writeFile: Tool } {
  const key = sandbox?.available === true
  const known = toolboxes.get(key)
  if (known !== undefined) return known
  const found = { terminal: createTerminal(undefined, sandbox ?? undefined), writeFile: createWriteFile() }
  toolboxes.set(key, found)
  return found
}
