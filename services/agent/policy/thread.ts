import { type CommandReading } from './findings.js'
import { type CommandOrder, readOrder } from './shell/reading.js'

/** The entry of the thread in which a host reads commands. */
export default function read (order: CommandOrder): CommandReading {
  return readOrder(order)
}
