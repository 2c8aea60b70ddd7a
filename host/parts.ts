import { type Parts, type PartsContext } from './machine.js'

/** What works on a machine: the runs, the routes of its workspaces, and what the service asks about its folders. */
export async function startParts (_context: PartsContext): Promise<Parts> {
  return { runs: () => 0, close: async () => {} }
}
