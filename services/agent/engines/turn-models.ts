import { classifyModelError } from '../../providers/index.js'
import { type Limit, type ModelRef, type RunSpec } from '../protocol.js'
import { Cancelled, type RunIO } from './engine.js'
import { ModelGaveUp, type Failure, type Models, type ResolvedModel } from './model-calls.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'

/** How long the web tier may take to name another model; a provider may have to be asked for its list. */
const namingLimitMs = 20_000
/** However long the list is. */
const mostModels = 16

/** The models of one turn: the one that it began with, and those that stand in where one gives up. Whoever stands in stays to the end. */
export class TurnModels implements Models {
  #current: { ref: ModelRef, resolved: ResolvedModel } | null = null
  readonly #tried: Array<Pick<ModelRef, 'provider' | 'id'>> = []
  #first: Failure | null = null

  constructor (
    private readonly spec: Pick<RunSpec, 'model' | 'onLimit'>, private readonly io: Pick<RunIO, 'signal' | 'emit' | 'request'>,
    private readonly resolve: (ref: ModelRef) => Promise<ResolvedModel>
  ) {}

  /** The model that answers. Only after {@link open}. */
  get current (): ResolvedModel {
    if (this.#current === null) throw new Error('No model was opened')
    return this.#current.resolved
  }

  get ref (): ModelRef { return this.#current?.ref ?? this.spec.model }

  /** Opens the turn's model, or one that stands in for it. Throws ModelGaveUp, and Cancelled when the turn is. */
  async open (): Promise<void> {
    const failure = await this.#use(this.spec.model)
    if (failure !== null && !await this.replace(failure)) throw new ModelGaveUp(this.lastWord(failure))
  }

  /** Goes on with the next model of the profile's list, and says so. False when there is none, or no use in one. */
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

  /** What a person is told when nobody is left: what was wrong with the first, whose repair helps most. */
  lastWord (failure: Failure): Failure {
    if (this.#first === null || this.#tried.length < 2 || !isForAnother(failure)) return failure
    const limit = sooner(this.#first.limit, failure.limit)
    return {
      ...this.#first, message: `${this.#first.message} What was to stand in for it failed as well: ${failure.message}`,
      ...(limit !== undefined && { limit })
    }
  }

  /** The profile would rather have this model later than another one now. */
  #waitsFor ({ limit }: Failure): boolean {
    return limit !== undefined && (this.spec.onLimit === 'wait' || this.spec.onLimit === 'ask')
  }

  /** Null when it could be opened. Throws Cancelled. */
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

/** A conversation that is too long is summarised, and an answer without end was one: whatever else went wrong may go right elsewhere. */
function isForAnother ({ type, contextOverflow }: Failure): boolean {
  return !contextOverflow && type !== 'answer_too_large'
}

/** The limit that is over first; one whose end nobody knows comes last. */
function sooner (one: Limit | undefined, other: Limit | undefined): Limit | undefined {
  return (other?.waitMs ?? Infinity) < (one?.waitMs ?? Infinity) ? other : one ?? other
}

const nameOf = ({ provider, id }: ModelRef): Pick<ModelRef, 'provider' | 'id'> => ({ provider, id })
