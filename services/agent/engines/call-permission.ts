import { inEnglish } from '../../../reasons/index.js'
import { inTime } from '../../ground/concurrency/in-time.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { foresee, type Comparer } from '../foresight/index.js'
import { decide, orderOf, type CommandReader, type PolicyContext, type Verdict } from '../policy/index.js'
import { type Foresight } from '../protocol.js'
import { type Boundary, type CommandLimiting, type Suspect } from '../sandbox/index.js'
import { type Kept, type Tool } from '../tools/index.js'
import { type Asking, type PlacedSpec, type RunIO } from './engine.js'
import { broughtBy, moreThanShown, mostShownChars } from './shown-call.js'

/** `sandboxed`: terminal commands can be confined, or limited by the container. */
export interface PermissionOptions extends CommandLimiting {
  policy: Pick<PolicyContext, 'home' | 'otherHomes' | 'serviceRoots' | 'programRoots'>
  /** Reads the command lines that are to be judged. */
  readCommand: CommandReader
  /** Compares a file with what a call would make of it. */
  compare: Comparer
  /** Watches what commands leave in workspaces for git to run. */
  boundary?: Boundary
}

/** The question is asked so soon, with what is known. */
const foresightLimitMs = 3_000
/** What outlasts the conversation is not asked about unseen, however long it takes to be shown. */
const proposalLimitMs = 30_000
const unshown = 'What this would change could not be shown to the user, so it was not done and they were not asked. Call again, with less of a change.'

/** So many entries of a folder are shown on one card; the rest follows on the next. */
const mostShown = 12
const withdrawn = 'This was not asked about any more.'
const denied = 'The user denied this call. Do not try the same thing in other words; ask what they would like instead, or go on without it.'

/** What the rules say to a call, and what it would do, each found out once. */
export interface Judgement {
  judge: (suspects: readonly Suspect[]) => Verdict
  /** Undefined when it could not be found out in time. */
  foresee: () => Promise<Foresight | undefined>
}

/** A call that may be done: by what rule, whether somebody was asked, and which state of its file they were shown. */
export interface Permitted { verdict: Verdict, asked: boolean, seen: string | undefined }

/** Asks the policy about a call, and then the user where it says so. */
export class CallPermission {
  constructor (readonly spec: PlacedSpec, readonly io: RunIO, readonly options: PermissionOptions, readonly kept: Kept) {}

  /** Reads a call once, and judges it as often as what is known beside it changes. */
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
        foreseen ??= untilAborted(inTime(tool.propose === undefined ? foresightLimitMs : proposalLimitMs, foresee(tool, args, {
          workspace: spec.workspace, readable: spec.readable, reading, confined: judge([]).confined, limitedBy: options.limitedBy,
          compare, signal: io.signal, kept
        }).catch(() => undefined)), io.signal)
        return foreseen
      }
    }
  }

  /**
   * What the rules and the user say to a call: its verdict, whether somebody was asked, and of which
   * file; or why it is not done, for the model.
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
}
