import { type IRawProperty } from 'fast-check'

/** A sentence that holds for whatever is made, and how it is tried. `cost`: so many cases of others take as long as one; default: 1. */
type Stated = [says: string, property: IRawProperty<unknown>, cost?: number]

/** A part of the service that is tried with input of its own. */
export interface Part {
  name: string
  /** One line for the list. */
  says: string
  /** `folder`: where files may be made; `onEnd`: takes what ends a process that the properties need. */
  properties (folder: string, onEnd: (end: () => Promise<void>) => void): Stated[]
}
