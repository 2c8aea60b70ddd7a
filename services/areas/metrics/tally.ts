import { type Sample } from './family.js'

/** Sums since the start, by the values of labels. */
export class Tally<Label extends string> {
  readonly #sums = new Map<string, { labels: Readonly<Record<Label, string>>, value: number }>()

  add (labels: Readonly<Record<Label, string>>, by = 1): void {
    const key = JSON.stringify(labels)
    const sum = this.#sums.get(key)
    if (sum === undefined) this.#sums.set(key, { labels, value: by })
    else sum.value += by
  }

  samples (): Iterable<Sample> {
    return this.#sums.values()
  }
}
