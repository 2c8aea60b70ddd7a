import { type IRawProperty } from 'fast-check'

/**
 * A property that holds for all generated input, and how it is tested. `cost`: how many cases of other properties take as
 * long as one of this; default: 1.
 */
type Stated = [says: string, property: IRawProperty<unknown>, cost?: number]

/** A part of the service that is tested with generated input. */
export interface Part {
  name: string
  /** One line for the list of parts. */
  says: string
  /** `folder`: where files may be created; `onEnd`: registers a function that ends a process which the properties need. */
  properties (folder: string, onEnd: (end: () => Promise<void>) => void): Stated[]
}
