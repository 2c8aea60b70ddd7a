import { type Report } from './report.js'
import { type Seeded } from './seed.js'

/** What a group of rows is given. */
export interface Bench {
  /** Profile home of the service that is measured. */
  home: string
  entry?: string
  nodeOptions: string[]
  /** In the group `loop`, only rows whose name holds this. */
  match?: string
  /** In the group `loop`, whether it is told where the time went. */
  isProfiled: boolean
  /** A copy of its database, for the bare server. */
  bareFile: string
  seeded: Seeded
  report: Report
  /** Shorter runs, for a look. */
  quick: boolean
  /** How many idle event streams are opened. */
  connections: number
}
