import { reason } from '../../../reasons/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { Cancelled, type RunIO } from '../engines/engine.js'
import { cutMiddle } from '../engines/quoted-conversation.js'
import { moreThanShown } from '../engines/shown-call.js'
import { type Tool } from '../tools/index.js'
import { oneLine } from '../tools/wording.js'
import { type AgentCall, type Allowed } from './calls.js'
import { onlySwitches } from './described-call.js'
import { shownName } from './shown-names.js'
import { list, text } from './wire.js'
import { warned } from '../run-events.js'

/** The answer to a request for permission. */
export interface PermissionAnswer { outcome: { outcome: 'cancelled' } | { outcome: 'selected', optionId: string } }

interface Option { id: string, name: string, kind: string }

export interface PermissionsOptions {
  io: Pick<RunIO, 'signal' | 'emit' | 'askQuestion'>
  /** Asks the rules and the user about a call. Resolves with null if it may be done, else with the reason why not. */
  permit: (tool: Tool, id: string, signal: AbortSignal) => Promise<string | null>
  /** Stores the plan with which an agent wants to leave plan mode. Resolves with false if the turn is not in plan mode. */
  planned: (call: AgentCall) => Promise<boolean>
  /** Whether the answer with this id would switch to a mode in which the agent may not work. */
  isForbiddenMode: (id: string) => boolean
  /** Returns the call as it is now, and what a yes to it allows. Later news from the agent changes neither. */
  describe: (call: AgentCall) => { tool: Tool, allows: () => Allowed[] }
}

/** How many requests may wait at once; further ones are denied. */
const mostWaiting = 100
/** Longer texts are shortened, and the card says how much is left out. */
const mostQuestionChars = 32_000
const mostNameChars = 2_000
/** After a permanent yes the agent would not ask again, and the user could not revoke that here. */
const onlyForGood = 'The agent offers only a yes for good, which cannot be given here.'
const cancelled: PermissionAnswer = { outcome: { outcome: 'cancelled' } }

/** An agent's requests for permission, one after the other, so that a longer-lasting answer to one also decides the next without a card. */
export class Permissions {
  #waiting = 0
  #last: Promise<unknown> = Promise.resolve()
  #asked = 0

  constructor (private readonly options: PermissionsOptions) {}

  /** Answers a request. Never rejects. Aborting `signal` withdraws the request and removes its card, as does the end of the call. */
  async answer (params: Readonly<Record<string, unknown>>, call: AgentCall, signal: AbortSignal): Promise<PermissionAnswer> {
    const options = list(params['options']).map(fieldsOf).flatMap((option): Option[] => {
      const [id, kind] = [text(option['optionId']), text(option['kind'])]
      // An option's id may be the name of a mode in which the agent may not work: that is never answered.
      return id === undefined || kind === undefined || (kind.startsWith('allow') && this.options.isForbiddenMode(id))
        ? []
        : [{ id, kind, name: nameOf(text(option['name']) ?? id) }]
    })
    if (this.#waiting >= mostWaiting) return no(options)
    this.#waiting++
    const withdrawn = AbortSignal.any([signal, call.ended.signal])
    const answered = this.#last.then(async () => await this.#ask(options, call, withdrawn))
    this.#last = answered.catch(() => {})
    try {
      return await answered
    } catch (error) {
      if (error instanceof Cancelled || this.options.io.signal.aborted) return cancelled
      return no(options)
    } finally {
      this.#waiting--
    }
  }

  async #ask (options: Option[], call: AgentCall, withdrawn: AbortSignal): Promise<PermissionAnswer> {
    const { io, describe, permit } = this.options
    if (io.signal.aborted || withdrawn.aborted) return cancelled
    if (onlySwitches(call) && call.isCut !== true) {
      return await this.options.planned(call) ? no(options) : await this.#choose(options, call, withdrawn)
    }
    const { tool, allows } = describe(call)
    call.allowed = []
    const refusal = call.isCut === true ? moreThanShown : await permit(tool, `permission-${call.callId}-${++this.#asked}`, withdrawn)
    if (withdrawn.aborted) return cancelled
    if (refusal === null) {
      const answer = yes(options)
      if (answer !== null) {
        call.allowed = allows()
        return answer
      }
    }
    io.emit(warned('agent_call_refused', reason('call_refused', {
      call: oneLine(shownName(call.title ?? 'A call of the agent'), 200), why: oneLine(refusal ?? onlyForGood, 400)
    })))
    return no(options)
  }

  /** Asks about a switch of mode as a question with the agent's own answers, without those that would end all asking. */
  async #choose (options: Option[], call: AgentCall, withdrawn: AbortSignal): Promise<PermissionAnswer> {
    const choices = toldApart(options.filter(({ kind }) => kind !== 'allow_always'))
    const question = cutMiddle(toldOf(call).filter(Boolean).join('\n\n'), mostQuestionChars)
    const answer = await this.options.io.askQuestion({
      question: question === '' ? 'The agent wants to work in another way.' : question, choices: choices.map(({ name }) => name)
    }, { callId: `permission-${call.callId}-${++this.#asked}`, beside: true }, withdrawn)
    if (withdrawn.aborted) return cancelled
    const chosen = choices.find(({ name }) => name === answer)
    return chosen === undefined ? no(options) : { outcome: { outcome: 'selected', optionId: chosen.id } }
  }
}

/** Returns the texts of a switch of mode, with its input unless the texts already contain that. */
function toldOf ({ title = '', texts = [], input = {} }: AgentCall): string[] {
  const said = [title, ...texts]
  const isSaid = Object.values(input).every((value) =>
    typeof value === 'string' ? said.some((each) => each.includes(value)) : typeof value !== 'object' || value === null)
  return isSaid ? said : [...said, JSON.stringify(input, null, 2)]
}

/** Returns a name on one line. If it is too long to read, it says how much is left out. */
const nameOf = (name: string): string => oneLine(cutMiddle(name, mostNameChars), Infinity)

/** Returns each id once. If two options have the same name, their ids are added to it. */
function toldApart (options: Option[]): Option[] {
  const unlike = [...new Map(options.map((option) => [option.id, option])).values()]
  const isShared = (name: string): boolean => unlike.filter((option) => option.name === name).length > 1
  return unlike.map((option) => isShared(option.name) ? { ...option, name: `${option.name} (${oneLine(option.id, 200)})` } : option)
}

/**
 * Returns a yes for once, whatever the user chose: how long it applies is stored here, where the user can revoke it.
 * Null if the agent offers only a permanent yes.
 */
function yes (options: Option[]): PermissionAnswer | null {
  return selected(options, ['allow_once'])
}

function no (options: Option[]): PermissionAnswer {
  return selected(options, ['reject_once', 'reject_always']) ?? cancelled
}

function selected (options: Option[], kinds: string[]): PermissionAnswer | null {
  const option = kinds.map((kind) => options.find((candidate) => candidate.kind === kind)).find((found) => found !== undefined)
  return option === undefined ? null : { outcome: { outcome: 'selected', optionId: option.id } }
}
