import { type Reason, sentencesOf } from '../../../reasons/index.js'
import { type Tool } from '../tools/tool.js'
import { type PolicyContext } from './context.js'
import { describe } from './describe.js'
import { examine, type Examination } from './examine.js'
import { type CommandReading } from './findings.js'
import { denialOf, isGranted } from './grants.js'
import { type CommandOrder, readOrder } from './shell/reading.js'
import { refusalInPlanMode } from './plan-mode.js'
import { memoryKey, plantedKey, schedulesKey, type GrantScope, scopeOf, skillsKey } from './scopes.js'
import { type Lands } from './boundaries.js'

export interface JudgedCall { tool: Tool, args: Record<string, unknown> }

export interface Verdict {
  verdict: 'allow' | 'ask' | 'forbid'
  /** The key that stands for the call: the first of `patternKeys`, or '' if nothing has to be allowed. */
  patternKey: string
  /** Keys that have to be allowed. For a command in the sandbox: only those that the sandbox does not make harmless. */
  patternKeys: string[]
  /** What the person who is asked is told; `description` is the same in English. */
  reasons: readonly Reason[]
  description: string
  /** What is shown to the person: the command, or one line. */
  command: string
  /** How long the keys may be granted for. A key that may be granted only once is never looked up in `grants`. */
  maxScope: GrantScope
  /** For `forbid`: what the model is told. */
  reason?: string
  /** Whether the call reaches outside the workspace. If it is allowed, the tool has to be told so (`ToolContext.approved`). */
  leavesWorkspace: boolean
  /** Whether the command has to run in the sandbox. */
  confined: boolean
}

/** Returns the command line that has to be read before a call can be judged; null if it has none. */
export function orderOf (
  { tool, args }: JudgedCall, { workspace, home, otherHomes, serviceRoots, programRoots, readable, userHome }: Lands
): CommandOrder | null {
  const { command, cwd, isPlainShell } = tool.targets(args)
  return command === undefined
    ? null
    : {
        command, cwd, ...isPlainShell === true ? { isPlainShell } : {},
        lands: { workspace, home, otherHomes, serviceRoots, programRoots, readable, userHome }
      }
}

/**
 * Judges one tool call. The strictest rule comes first: what never runs, what the operator denies, what has been granted, what the rules
 * ask about. Pure, except that it looks at symlinks and at git's settings through `resolvePath` and `look`.
 *
 * @param reading what its command line does, if that has been read already; see orderOf
 */
export function decide (call: JudgedCall, context: PolicyContext, reading: CommandReading | null = readHere(call, context)): Verdict {
  const { tool, args } = call
  const found = examine(tool, args, context, reading)
  const suspects = tool.targets(args).command === undefined || found.confined ? [] : context.suspects ?? []
  const keys = [...suspects.length > 0 ? [plantedKey] : [], ...found.confined ? found.lasting : found.keys]
  const reasons = describe(tool, args, found, context, suspects)
  const base = {
    patternKey: keys[0] ?? '',
    patternKeys: keys,
    reasons,
    description: sentencesOf(reasons),
    command: tool.targets(args).command ?? `${tool.name}: ${tool.preview(args)}`,
    maxScope: scopeOf(keys),
    leavesWorkspace: !found.confined && keys.some((key) => /:(?:outside|protected)$/.test(key)),
    confined: found.confined
  }
  const refusal = refusalOf(tool, found, context) ?? (context.planning === true ? refusalInPlanMode(call, reading, found.confined) : null)
  if (refusal !== null) return { ...base, verdict: 'forbid', maxScope: 'once', reason: refusal }
  // Yolo and grants apply to what a command does, which is unknown for one that was not read to its end.
  // A change that outlasts the conversation needs a person who can see it, or a grant of its own.
  const isYolo = context.yolo && suspects.length === 0 &&
    (context.attended || !keys.some((key) => key === memoryKey || key === skillsKey || key === schedulesKey))
  if (!found.unfinished && (isYolo || keys.every((key) => isGranted(key, context.grants)))) return { ...base, verdict: 'allow' }
  if (context.attended) return { ...base, verdict: 'ask' }
  return {
    ...base,
    verdict: 'forbid',
    reason: `Refused: this needs the user's approval (${keys.join(', ')}), and nobody is there to give it. ` +
      'Do not look for a way around it. Do what is possible without it, and report what could not be done.'
  }
}

function readHere (call: JudgedCall, context: PolicyContext): CommandReading | null {
  const order = orderOf(call, context)
  return order === null ? null : readOrder(order, context.resolvePath, context.look)
}

/** Returns what the model is told about a call that nobody can allow; null for any other call. */
function refusalOf (tool: Tool, { keys, forbidden }: Examination, { denied = [] }: PolicyContext): string | null {
  if (forbidden !== null) {
    return `Refused: this would ${forbidden}. Such calls never run, not even with the user's approval. ` +
      'Do not rephrase it or reach the same result in another way; tell the user why it was needed and let them do it.'
  }
  // The operator can deny a tool by its name, whatever its calls touch.
  const key = [...keys, `tool:${tool.name}`].find((candidate) => denialOf(candidate, denied) !== undefined)
  if (key === undefined) return null
  return `Refused: the operator's rules do not allow this (${key}), and nobody in this conversation can change that. ` +
    'Do not rephrase it or reach the same result in another way; go on without it, or tell the user what it was needed for.'
}
