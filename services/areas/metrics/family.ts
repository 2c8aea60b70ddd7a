/** One number of a metric, with the values of its labels. */
export interface Sample { labels: Readonly<Record<string, string>>, value: number }

/** Durations counted in buckets. `counts`: for each bound, those that are above the previous bound and at most this one. */
export interface Timed { labels: Readonly<Record<string, string>>, counts: readonly number[], count: number, sumS: number }

interface FamilyHeader<Labels extends string> { name: string, help: string, labels: readonly Labels[] }

/**
 * A metric with all its labels, as Prometheus defines it, and the function that reads its current numbers. Label values come from lists in
 * the code.
 */
export type Family =
  | FamilyHeader<string> & { type: 'counter' | 'gauge', read: () => Iterable<Sample> }
  | FamilyHeader<string> & { type: 'histogram', bounds: readonly number[], read: () => Iterable<Timed> }

/** A gauge without labels; null if there is nothing to show now. */
export function gauge (name: string, help: string, read: () => number | null): Family {
  return { name, help, type: 'gauge', labels: [], read: () => one(read()) }
}

/** A gauge with one label; `read` returns numbers by the label's values. */
export function gaugeBy (label: string, name: string, help: string, read: () => Readonly<Record<string, number>>): Family {
  return {
    name, help, type: 'gauge', labels: [label],
    read: () => Object.entries(read()).map(([key, value]) => ({ labels: { [label]: key }, value }))
  }
}

export function counter (name: string, help: string, read: () => number): Family {
  return { name, help, type: 'counter', labels: [], read: () => one(read()) }
}

/** A counter with labels. */
export function counterBy (labels: readonly string[], name: string, help: string, read: () => Iterable<Sample>): Family {
  return { name, help, type: 'counter', labels, read }
}

const one = (value: number | null): Sample[] => value === null ? [] : [{ labels: {}, value }]
