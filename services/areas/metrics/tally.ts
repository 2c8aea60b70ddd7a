import { type Sample } from './family.js'

/**
 * Sums since the start, by the values of labels. `increase()` misses the first count of a series that begins with 1. So with the first sum,
 * all sums that may appear next to it are created as 0: `beside` returns their labels.
 */
export class Tally<Label extends string> {
  readonly #sums = new Map<string, { labels: Readonly<Record<Label, string>>, value: number }>()

  constructor (private readonly beside: (labels: Readonly<Record<Label, string>>) => Array<Record<Label, string>> = () => []) {}

  add (labels: Readonly<Record<Label, string>>, by = 1): void {
    if (!this.#sums.has(JSON.stringify(labels))) for (const other of this.beside(labels)) this.#sumOf(other)
    this.#sumOf(labels).value += by
  }

  #sumOf (labels: Readonly<Record<Label, string>>): { value: number } {
    const key = JSON.stringify(labels)
    const sum = this.#sums.get(key) ?? { labels, value: 0 }
    this.#sums.set(key, sum)
    return sum
  }

  samples (): Iterable<Sample> {
    return this.#sums.values()
  }
}
