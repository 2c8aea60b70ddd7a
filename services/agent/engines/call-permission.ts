import { inEnglish } from '../../../reasons/index.js'
import { inTime } from '../../ground/concurrency/in-time.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { foresee, type Comparer } from '../foresight/index.js'
import { decide, orderOf, type CommandReader, type PolicyContext, type Verdict } from '../policy/index.js'
import { type Foresight } from '../protocol.js'
import { type Boundary, type CommandLimiting, type Suspect } from '../sandbox/index.js'
import { type StoredDocuments, type Tool } from '../tools/index.js'
import { type Asking, type PlacedSpec, type RunIO } from './engine.js'
import { broughtBy, moreThanShown, mostShownChars } from './shown-call.js'

/** `sandboxed`: terminal commands can be confined, or limited by the container. */
export interface PermissionOptions extends CommandLimiting {
  policy: Pick<PolicyContext, 'home' | 'otherHomes' | 'serviceRoots' | 'programRoots'>
  /** Parses the command lines that the policy decides about. */
  readCommand: CommandReader
  /** Compares a file with what it would be after a call. */
  compare: Comparer
  /** Watches for files that commands leave in workspaces and that git would run. */
  boundary?: Boundary
}

/** How long the preview of a call may take; after that the question is asked without it. */
const foresightLimitMs = 3_000
/** The same for changes that outlast the conversation: the user is never asked about those without a preview, so it gets longer. */
const proposalLimitMs = 30_000
const unshown = 'What this would change could not be shown to the user, so it was not done and they were not asked. Call again, with less of a change.'

/** How many suspect entries one card shows at most; the rest follow on the next. */
const mostShown = 12
const withdrawn = 'This was not asked about any more.'
const denied = 'The user denied this call. Do not try the same thing in other words; ask what they would like instead, or go on without it.'

/** What the rules say about a call, and what the call would do. The call is read once, and its effect is worked out once. */
export interface Judgement {
  judge: (suspects: readonly Suspect[]) => Verdict
  /** Resolves with undefined if the effect could not be worked out in time. */
  foresee: () => Promise<Foresight | undefined>
}

/** A permitted call: by which rule, whether a person has allowed it, and which state of its file they were shown. */
export interface Permitted { verdict: Verdict, asked: boolean, seen: string | undefined }

/** Asks the policy about a call, and then the user if the policy says so. */
export class CallPermission {
  constructor (readonly spec: PlacedSpec, readonly io: RunIO, readonly options: PermissionOptions, readonly kept: StoredDocuments) {}

  /** Reads a call once. The result can judge it repeatedly, as suspects, grants and modes change. */
  async judge (tool: Tool, args: Record<string, unknown>): Promise<Judgement> {
    const { io, spec, options, kept } = this
    const lands = { ...options.policy, workspace: spec.workspace, readable: spec.readable }
    const order = orderOf({ tool, args }, lands)
    const reading = order === null ? null : await untilAborted(options.readCommand(order, spec.runId, io.signal), io.signal)
    const judge: Judgement['judge'] = (suspects) => decide({ tool, args }, {
      ...lands,
      sandboxed: options.sandboxed,
      limitedBy: options.limitedBy,
      suspects: suspects.map(({ said }) => said),
      grants: io.grants,
      denied: io.denied(),
      yolo: io.yolo(),
      planning: io.planning(),
      attended: spec.attended
    }, reading)
    let foreseen: Promise<Foresight | undefined> | undefined
    return {
      judge,
      foresee () {
        const { compare } = options
        // The question is asked even if this fails.
        foreseen ??= untilAborted(inTime(tool.propose === undefined ? foresightLimitMs : proposalLimitMs, foresee(tool, args, {
          workspace: spec.workspace, readable: spec.readable, reading, confined: judge([]).confined, limitedBy: options.limitedBy,
          compare, signal: io.signal, kept
        }).catch(() => undefined)), io.signal)
        return foreseen
      }
    }
  }

  /**
   * Asks the rules, and then the user if necessary. Resolves with the permission, or with a text for the model that says why the
   * call is not done.
   */
  async ask (
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
      // The user is not asked about a change that would fail.
      if (foresight?.change !== undefined && 'fails' in foresight.change && foresight.change.fails !== undefined) {
        return foresight.change.fails
      }
      if (isWithdrawn()) return withdrawn
      const content = broughtBy(tool, args, foresight, `${command}\n${description}`)
      if (content !== undefined && content.length > mostShownChars) return moreThanShown
      const answer = await io.askApproval({
        command, ...(tool.targets(args).command === undefined ? {} : { isCommandLine: true }), description, reasons, patternKey,
        patternKeys, maxScope, tool: tool.name, ...(content === undefined ? {} : { content: { text: content, isCut: false } }),
        ...(suspects.length > 0 ? { personal: true } : {}), foresight
      }, from, signal)
      if (answer === null && isWithdrawn()) return withdrawn
      if (answer === null) {
        return 'Nobody answered the request for approval in time, so this was not done. Do not try it in another way; go on without it or say what you would need.'
      }
      if (answer.choice === 'deny') return denied
      asked = !answer.isByYolo
      shown = answer.foresight
      for (const { said } of suspects) seen.add(inEnglish(said))
      await options.boundary?.seen(suspects)
      // After a yes, the user is asked again only if there is more to look at.
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

  /**
   * Returns what a person has to see before a command outside the sandbox may make git run it: at most one card of what was not shown yet.
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
}
