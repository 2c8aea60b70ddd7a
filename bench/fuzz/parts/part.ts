import { type IRawProperty } from 'fast-check'

/** A sentence that holds for whatever is made, and how it is tried. */
type Stated = [says: string, property: IRawProperty<unknown>]

/** A part of the service that can be tried without it. */
export interface Part {
  name: string
  /** One line for the list. */
  says: string
  /** `folder`: where files may be made. */
  properties (folder: string): Stated[]
}
