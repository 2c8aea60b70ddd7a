import { type TurnModel } from './turn-meter.js'

type NamedModel = Pick<TurnModel, 'provider' | 'id'>

const keyOf = ({ provider, id }: NamedModel): string => `${provider} ${id}`

/** The models of a turn: the one that answers, and others that were named to its run. */
export class TurnModels {
  /** Prices and the context window come from it; null until it is chosen. */
  current: TurnModel | null = null
  readonly #others = new Map<string, TurnModel>()

  /** Those besides its own that it may go on with. */
  get others (): TurnModel[] {
    return [...this.#others.values()]
  }

  /** Makes a model known that the run may go on with. */
  know (model: TurnModel): void {
    this.#others.set(keyOf(model), model)
  }

  /** Another model that was named to the run; undefined: it is none of this turn's, whatever its host says. */
  other (named: NamedModel): TurnModel | undefined {
    return this.#others.get(keyOf(named))
  }

  /** One of the turn's models by its name; null for one that it never had. */
  find (named: NamedModel): TurnModel | null {
    const isCurrent = this.current !== null && keyOf(this.current) === keyOf(named)
    return this.other(named) ?? (isCurrent ? this.current : null)
  }
}
