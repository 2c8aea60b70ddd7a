import { type SystemPrompt } from '../../agent/index.js'
import { planningVersion, protocolVersion, type ModelMessage, type ModelRef, type OnLimit, type Places, type RunSpec } from '../../agent/protocol.js'
import { type Effort } from '../../providers/index.js'
import { hostField, remoteFolder } from '../../ground/location.js'
import { type Prompts } from '../prompts/index.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'
import { referenceTo } from './references.js'
import { waitsForLimits, type TurnPlan } from './turn-plan.js'
import { type TurnTraces } from './turn-traces.js'

/** What a profile's configuration says about its turns. */
interface ProfileRules {
  /** Pattern keys that are allowed for good, and patterns that are refused for good. */
  allowed: string[]
  denied: string[]
  sandbox: 'auto' | 'off'
  /** What a command in the sandbox may use; absent = as the sandbox finds right. */
  commandLimits: { memoryBytes?: number, processes?: number }
  pageLimitMs: number | null
  effort: Effort | undefined
  /** Seconds until an unanswered prompt expires; 0 = never. */
  approvalTimeoutS: number
  clarifyTimeoutS: number
  /** Part of the context window from which on the history is summarised; null = only when the model refuses it. */
  compressionThreshold: number | null
  /** What becomes of a turn whose model is at a limit of its provider. */
  onLimit: OnLimit
}

export interface RunSpecOptions {
  sessions: Sessions
  prompts: Prompts
  rules: (profile: string) => ProfileRules
  /** Where what was uploaded to a session lies. */
  attachmentFolder: (sessionId: string) => string
  steps: number
  /** The plan of a session as a person has left it; undefined: the agent has written the last version, or there is none. */
  editedPlan: (sessionId: string) => { version: number, text: string } | undefined
  /** The agent's own session that a session goes on in, together with the agent's own program; undefined: a session like any other. */
  attached: (sessionId: string) => RunSpec['attached']
  traces: TurnTraces | null
}

/** A conversation as a model is shown it; see Transcript. */
export interface History { messages: ModelMessage[], summary: string | null }

/** How much the model of a turn is to think; undefined: as it does by itself. */
export function effortOf ({ wishes }: Pick<TurnPlan, 'wishes'>, { effort }: Pick<ProfileRules, 'effort'>): Effort | undefined {
  return wishes?.effort === '' ? undefined : wishes?.effort ?? effort
}

/** Everything a host needs for a turn of `session`, as plain JSON. */
export function runSpec (
  { sessions, prompts, rules, attachmentFolder, steps, editedPlan, attached: attachedOf, traces }: RunSpecOptions,
  { streamId, trace, generation, session, plan, history: { messages, summary }, model, window, prompt, isBudgeted, isPlanning }: {
    streamId: string, trace: string | null, generation: number, session: SessionRow, plan: TurnPlan, history: History, model: ModelRef,
    window: number, prompt: SystemPrompt, isBudgeted: boolean, isPlanning: boolean
  }
): RunSpec {
  const {
    allowed, denied, sandbox, commandLimits, pageLimitMs, approvalTimeoutS, clarifyTimeoutS, compressionThreshold, onLimit, ...own
  } = rules(session.profile)
  const edited = isPlanning ? editedPlan(session.id) : undefined
  const attached = attachedOf(session.id)
  const places = placesOf(session, plan, attachmentFolder)
  // What a fork says again was uploaded to the conversation that it was made of.
  const before = session.source === 'fork' && session.parentSessionId !== null ? attachmentFolder(session.parentSessionId) : undefined
  return {
    v: isPlanning ? planningVersion : protocolVersion,
    runId: streamId,
    sessionId: session.id,
    ...writesFor(sessions, session, { streamId, plan }),
    profile: session.profile,
    ...hostField(session.workspace),
    kind: plan.kind,
    generation,
    engine: model.isAgent === true ? 'acp' : 'loop',
    model: { ...model, effort: effortOf(plan, own) },
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
    ...(isBudgeted ? { budgeted: true } : {}),
    ...(attached === undefined ? {} : { attached }),
    ...(trace === null ? {} : { trace: traces?.forRun(trace) }),
    clarifyTimeoutS,
    approvalTimeoutS,
    context: {
      tokens: session.lastPromptTokens,
      thresholdTokens: compressionThreshold === null ? null : Math.floor(window * compressionThreshold)
    }
  }
}

/** A sub-agent in the same folder works for its parent's turn; a background task for a conversation, but beside its turns. */
function writesFor (
  sessions: Sessions, { workspace, parentSessionId }: SessionRow, { streamId, plan }: { streamId: string, plan: TurnPlan }
): Pick<RunSpec, 'writesFor'> {
  if (parentSessionId === null || !sessions.has(parentSessionId)) return {}
  if (plan.kind === 'background') return { writesFor: { sessionId: parentSessionId, runId: streamId } }
  if (plan.kind !== 'delegate' || plan.serves === undefined || sessions.get(parentSessionId).workspace !== workspace) return {}
  return { writesFor: { sessionId: parentSessionId, runId: plan.serves } }
}

/** Where it works, and what was uploaded to it and to the conversation that it belongs to. A fork has a copy of its own. */
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

/** A damaged list is none. */
function todosOf ({ todos }: SessionRow): RunSpec['todos'] {
  try {
    return todos === null ? [] : (JSON.parse(todos) as { todos: RunSpec['todos'] }).todos
  } catch {
    return []
  }
}

/** What a turn begins with. The last row of its own session is its message: it travels as the input, with its attachments. */
export async function historyOf (sessions: Sessions, sessionId: string, { input, reads }: TurnPlan): Promise<History> {
  const { messages, summary } = await sessions.transcript.history(reads ?? sessionId)
  return { messages: input === null || reads !== undefined ? messages : messages.slice(0, -1), summary }
}
