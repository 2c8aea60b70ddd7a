import { classifyModelError } from '../../providers/index.js'
import { type Limit, type ModelRef, type RunSpec } from '../protocol.js'
import { Cancelled, type RunIO } from './engine.js'
import { ModelGaveUp, type Failure, type Models, type ResolvedModel } from './model-calls.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'

/** How long the web tier may take to name another model; a provider may have to be asked for its list. */
const namingLimitMs = 20_000
/** How many models a turn tries at most, however long the list is. */
const mostModels = 16

/** The models of one turn: the one that it began with, and the fallbacks. A fallback answers until the turn ends or it fails too. */
export class RunModels implements Models {
  #current: { ref: ModelRef, resolved: ResolvedModel } | null = null
  readonly #tried: Array<Pick<ModelRef, 'provider' | 'id'>> = []
  #first: Failure | null = null

  constructor (
    private readonly spec: Pick<RunSpec, 'model' | 'onLimit'>, private readonly io: Pick<RunIO, 'signal' | 'emit' | 'request'>,
    private readonly resolve: (ref: ModelRef) => Promise<ResolvedModel>
  ) {}

  /** The model that answers. Throws before {@link open}. */
  get current (): ResolvedModel {
    if (this.#current === null) throw new Error('No model was opened')
    return this.#current.resolved
  }

  get ref (): ModelRef { return this.#current?.ref ?? this.spec.model }

  /** Opens the turn's model or a fallback. Throws ModelGaveUp, and Cancelled when the turn is cancelled. */
  async open (): Promise<void> {
    const failure = await this.#use(this.spec.model)
    if (failure !== null && !await this.replace(failure)) throw new ModelGaveUp(this.lastWord(failure))
  }

  /** Switches to the next model of the profile's list, and says so. Resolves with false if there is none, or if none would help. */
  async replace (failure: Failure): Promise<boolean> {
    if (!isForAnother(failure) || this.#waitsFor(failure)) return false
    this.#first ??= failure
    this.#tried.push(nameOf(this.ref))
    while (this.#tried.length < mostModels) {
      const named = await this.io.request('fallback', { tried: this.#tried }, { deadlineMs: namingLimitMs })
      if ('error' in named || named.answer === null) return false
      if (await this.#use(named.answer) === null) {
        this.io.emit({
          t: 'fallback', ...nameOf(this.ref), message: `${failure.message} ${this.current.providerName} goes on with ${this.ref.id}.`
        })
        return true
      }
      this.#tried.push(nameOf(named.answer))
    }
    return false
  }

  /** Returns what a person is told when no model is left: the failure of the first model, whose repair helps most. */
  lastWord (failure: Failure): Failure {
    if (this.#first === null || this.#tried.length < 2 || !isForAnother(failure)) return failure
    const limit = sooner(this.#first.limit, failure.limit)
    const { about: _, ...first } = this.#first
    return {
      ...first, message: `${first.message} What was to stand in for it failed as well: ${failure.message}`,
      ...(limit !== undefined && { limit })
    }
  }

  /** Whether the profile prefers this model later to another model now. */
  #waitsFor ({ limit }: Failure): boolean {
    return limit !== undefined && (this.spec.onLimit === 'wait' || this.spec.onLimit === 'ask')
  }

  /** Opens a model. Resolves with null, or with the failure. Throws Cancelled. */
  async #use (ref: ModelRef): Promise<Failure | null> {
    try {
      this.#current = { ref, resolved: await untilAborted(this.resolve(ref), this.io.signal) }
      return null
    } catch (error) {
      if (this.io.signal.aborted) throw new Cancelled()
      const { limit: _, ...failure } = classifyModelError(error, ref.provider)
      return failure
    }
  }
}

/** Whether another model may succeed. Not if the conversation is too long, since it is summarised, nor if the answer was too long. */
function isForAnother ({ type, contextOverflow }: Failure): boolean {
  return !contextOverflow && type !== 'answer_too_large'
}

/** Returns the limit that ends first. One whose end is not known comes last. */
function sooner (one: Limit | undefined, other: Limit | undefined): Limit | undefined {
  return (other?.waitMs ?? Infinity) < (one?.waitMs ?? Infinity) ? other : one ?? other
}

const nameOf = ({ provider, id }: ModelRef): Pick<ModelRef, 'provider' | 'id'> => ({ provider, id })
