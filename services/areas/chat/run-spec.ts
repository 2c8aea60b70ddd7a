import { type SystemPrompt } from '../../agent/index.js'
import { planningVersion, protocolVersion, type ModelMessage, type ModelRef, type OnLimit, type Places, type RunSpec } from '../../agent/protocol.js'
import { type Effort } from '../../providers/index.js'
import { hostOnWire, remoteFolder } from '../../ground/remote-folder.js'
import { type Prompts } from '../prompts/index.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'
import { referenceTo } from './references.js'
import { waitsForLimits, type TurnPlan } from './turn-plan.js'
import { type TurnTraces } from './turn-traces.js'

/** A profile's settings for its turns. */
interface ProfileRules {
  /** Pattern keys that are always allowed, and patterns that are always refused. */
  allowed: string[]
  denied: string[]
  sandbox: 'auto' | 'off'
  /** Limits of a command in the sandbox; absent = the sandbox's defaults. */
  commandLimits: { memoryBytes?: number, processes?: number }
  pageLimitMs: number | null
  effort: Effort | undefined
  /** Seconds until an unanswered prompt expires; 0 = never. */
  approvalTimeoutS: number
  clarifyTimeoutS: number
  /** Part of the context window at which the history is summarised; null = only when the model refuses it. */
  compressionThreshold: number | null
  /** What happens to a turn whose provider's limit is reached. */
  onLimit: OnLimit
}

export interface RunSpecOptions {
  sessions: Sessions
  prompts: Prompts
  rules: (profile: string) => ProfileRules
  /** Folder of a session's uploads. */
  attachmentFolder: (sessionId: string) => string
  steps: number
  /** A session's plan if a person wrote its last version; undefined if the agent did, or there is none. */
  editedPlan: (sessionId: string) => { version: number, text: string } | undefined
  /** The other maker's session that this session continues; undefined for all other sessions. */
  attached: (sessionId: string) => RunSpec['attached']
  traces: TurnTraces | null
}

/** A conversation as a model sees it; see Transcript. */
export interface History { messages: ModelMessage[], summary: string | null }

/** Returns the reasoning effort of a turn; undefined for the model's default. */
export function effortOf ({ wishes }: Pick<TurnPlan, 'wishes'>, { effort }: Pick<ProfileRules, 'effort'>): Effort | undefined {
  return wishes?.effort === '' ? undefined : wishes?.effort ?? effort
}

/** Returns from how many tokens on the history of a turn is summarised; null: only when the model refuses it. */
export function thresholdOf ({ compressionThreshold }: Pick<ProfileRules, 'compressionThreshold'>, window: number): number | null {
  return compressionThreshold === null ? null : Math.floor(window * compressionThreshold)
}

/** Returns everything that a host needs for a turn of `session`, as plain JSON. */
export function runSpec (
  { sessions, prompts, rules, attachmentFolder, steps, editedPlan, attached: attachedOf, traces }: RunSpecOptions,
  { streamId, trace, generation, session, plan, history: { messages, summary }, model, window, prompt, isBudgeted, isPlanning }: {
    streamId: string, trace: string | null, generation: number, session: SessionRow, plan: TurnPlan, history: History, model: ModelRef,
    window: number, prompt: SystemPrompt, isBudgeted: boolean, isPlanning: boolean
  }
): RunSpec {
  const current = rules(session.profile)
  const { allowed, denied, sandbox, commandLimits, pageLimitMs, approvalTimeoutS, clarifyTimeoutS, onLimit } = current
  const edited = isPlanning ? editedPlan(session.id) : undefined
  const attached = attachedOf(session.id)
  const places = placesOf(session, plan, attachmentFolder)
  // Files in the messages that a fork repeats were uploaded to the original conversation.
  const before = session.source === 'fork' && session.parentSessionId !== null ? attachmentFolder(session.parentSessionId) : undefined
  return {
    v: isPlanning ? planningVersion : protocolVersion,
    runId: streamId,
    sessionId: session.id,
    ...writesFor(sessions, session, { streamId, plan }),
    profile: session.profile,
    ...hostOnWire(session.workspace),
    kind: plan.kind,
    generation,
    engine: model.isAgent === true ? 'acp' : 'loop',
    model: { ...model, effort: effortOf(plan, current) },
    ...prompt,
    history: messages,
    ...(summary === null ? {} : { summary }),
    input: plan.input === null
      ? null
      : {
          text: plan.input.expanded ?? plan.input.message,
          attachments: plan.input.attachments.map((attachment) =>
            referenceTo(attachment, places, { before, isRemote: remoteFolder(session.workspace) !== null }))
        },
    ...(plan.input?.unaccepted === undefined ? {} : { unacceptedCommand: plan.input.unaccepted }),
    ...(plan.resume === undefined ? {} : { resume: plan.resume }),
    ...(plan.client === undefined ? {} : { client: plan.client }),
    ...(waitsForLimits(plan) ? { onLimit } : {}),
    places,
    sandbox,
    commandLimits,
    pageLimitMs,
    toolset: plan.toolset,
    attended: plan.attended,
    yolo: prompts.yolo.isOn(plan.promptsIn),
    grants: [...prompts.sessionGrants(plan.promptsIn), ...allowed],
    denied,
    ...(isPlanning ? { planning: edited === undefined ? {} : { plan: edited } } : {}),
    todos: todosOf(session),
    limits: { steps: plan.steps ?? steps },
    briefResults: true,
    ...(isBudgeted ? { budgeted: true } : {}),
    ...(attached === undefined ? {} : { attached }),
    ...(trace === null ? {} : { trace: traces?.forRun(trace) }),
    clarifyTimeoutS,
    approvalTimeoutS,
    context: { tokens: session.lastPromptTokens, thresholdTokens: thresholdOf(current, window) }
  }
}

/** Returns for whom a turn writes: a sub-agent in the same folder for its parent's turn, a background task for the conversation. */
function writesFor (
  sessions: Sessions, { workspace, parentSessionId }: SessionRow, { streamId, plan }: { streamId: string, plan: TurnPlan }
): Pick<RunSpec, 'writesFor'> {
  if (parentSessionId === null || !sessions.has(parentSessionId)) return {}
  if (plan.kind === 'background') return { writesFor: { sessionId: parentSessionId, runId: streamId } }
  if (plan.kind !== 'delegate' || plan.serves === undefined || sessions.get(parentSessionId).workspace !== workspace) return {}
  return { writesFor: { sessionId: parentSessionId, runId: plan.serves } }
}

/** Returns the workspace, and the uploads of the session and of the conversation that it belongs to. A fork has its own copy. */
function placesOf (
  { id, workspace, source, parentSessionId }: SessionRow, { promptsIn }: TurnPlan, attachmentFolder: RunSpecOptions['attachmentFolder']
): Places {
  const others = new Set([promptsIn, source === 'fork' ? id : parentSessionId ?? id])
  others.delete(id)
  return {
    workspace: remoteFolder(workspace)?.path ?? workspace,
    attachments: attachmentFolder(id),
    ...Object.fromEntries([...others].map((other) => [`attachments of ${other}`, attachmentFolder(other)]))
  }
}

/** Returns a session's to-do list; an empty one if the stored list is damaged. */
function todosOf ({ todos }: SessionRow): RunSpec['todos'] {
  try {
    return todos === null ? [] : (JSON.parse(todos) as { todos: RunSpec['todos'] }).todos
  } catch {
    return []
  }
}

/** Returns the history of a turn, without the last row of its own session: that is its message, which is sent as the input. */
export async function historyOf (sessions: Sessions, sessionId: string, { input, reads }: TurnPlan): Promise<History> {
  const { messages, summary } = await sessions.transcript.history(reads ?? sessionId)
  return { messages: input === null || reads !== undefined ? messages : messages.slice(0, -1), summary }
}
