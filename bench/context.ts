import { type Report } from './report.js'
import { type Seeded } from './seed.js'

/** Input of a group of rows. */
export interface Bench {
  /** Profile home of the measured service. */
  home: string
  entry?: string
  nodeOptions: string[]
  /** For the group `loop`: runs only rows whose name contains this. */
  match?: string
  /** For the group `loop`: whether to report where the time went. */
  isProfiled: boolean
  /** A copy of its database, for the bare server. */
  bareFile: string
  seeded: Seeded
  report: Report
  /** Shorter runs, for a first impression. */
  quick: boolean
  /** How many idle event streams are opened. */
  connections: number
}
