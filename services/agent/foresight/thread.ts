import { compare, type Compared, type CompareOrder } from './compare.js'

/** The entry of the thread in which a host compares files. */
export default function (order: CompareOrder): Compared {
  return compare(order)
}
