import { type IAsyncProperty, type IProperty } from 'fast-check'

/** A sentence that holds for whatever is made, and how it is tried. */
type Stated = [says: string, property: IProperty<any> | IAsyncProperty<any>] // eslint-disable-line @typescript-eslint/no-explicit-any -- each has its own kind of values

/** A part of the service that can be tried without it. */
export interface Part {
  name: string
  /** One line for the list. */
  says: string
  /** `folder`: where files may be made. */
  properties (folder: string): Stated[]
}
