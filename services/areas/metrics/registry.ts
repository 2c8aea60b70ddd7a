import { Counter, Gauge, Histogram, Registry, type HistogramConfiguration } from '@prometheus-io/client'
import { type Family, type Timed } from './family.js'

/** Creates a registry of metrics, whose numbers are read when its text is requested. Throws for a name that is taken or invalid. */
export function createRegistry (families: readonly Family[]): Registry {
  const registry = new Registry()
  for (const family of families) {
    const { name, help, labels: labelNames } = family
    const named = { name, help, labelNames, registers: [registry] }
    if (family.type === 'histogram') {
      registry.registerMetric(new CountedHistogram({ ...named, buckets: [...family.bounds] }, family.read))
    } else if (family.type === 'gauge') {
      registry.registerMetric(new Gauge<string>({
        ...named,
        collect () {
          this.reset()
          // A metric without labels is 0 after a reset, and would be shown.
          if (labelNames.length === 0) this.remove({})
          for (const { labels, value } of family.read()) this.set(labels, value)
        }
      }))
    } else {
      registry.registerMetric(new Counter<string>({
        ...named,
        collect () {
          this.reset()
          for (const { labels, value } of family.read()) this.inc(labels, value)
        }
      }))
    }
  }
  return registry
}

/**
 * A histogram that was counted elsewhere: the library would look up the labels again for each number. The method that the registry calls
 * for its text is missing in the library's types.
 */
class CountedHistogram extends Histogram<string> {
  readonly #bounds: ReadonlyArray<{ le: number | '+Inf' }>

  constructor (private readonly configuration: HistogramConfiguration<string>, private readonly read: () => Iterable<Timed>) {
    super(configuration)
    this.#bounds = [...configuration.buckets ?? [], '+Inf' as const].map((le) => ({ le }))
  }

  async getForPromString () {
    const { name, help } = this.configuration
    return { name, help, type: 'histogram', values: [...this.read()].flatMap((timed) => this.#valuesOf(timed)) }
  }

  /** `sharedLabels` are formatted only once. */
  #valuesOf ({ labels: sharedLabels, counts, count, sumS }: Timed) {
    const { name } = this.configuration
    let upTo = 0
    return [
      ...this.#bounds.map((labels, index) => {
        upTo += counts[index] ?? 0
        return { metricName: `${name}_bucket`, labels, sharedLabels, value: labels.le === '+Inf' ? count : upTo }
      }),
      { metricName: `${name}_sum`, labels: {}, sharedLabels, value: sumS },
      { metricName: `${name}_count`, labels: {}, sharedLabels, value: count }
    ]
  }
}
