import { type Search } from './folders.js'
import { type ForeignRow } from './tally.js'

/** A front end whose sessions lie in files of this machine. */
export interface Source {
  name: ForeignRow['source']
  /** Tells its sessions from those of another front end that have the same id. */
  suffix: string
  search: Search
  /** The id of a session, by the name of its file. */
  idOf: (name: string) => string
}

/** The front ends whose sessions are read, and of each no more than the newest `limit` files. */
export function sourcesOf (roots: Record<ForeignRow['source'], string>, limit: number): Source[] {
  return [{
    name: 'claude_code',
    suffix: 'claude',
    // Folders deeper down and files called agent-… hold what sub-agents said.
    search: {
      root: roots.claude_code, depth: { least: 1, most: 1 }, limit,
      isSession: (name) => name.endsWith('.jsonl') && !name.startsWith('agent-')
    },
    idOf: (name) => name.slice(0, -'.jsonl'.length)
  }, {
    name: 'codex',
    suffix: 'codex',
    search: {
      root: roots.codex, depth: { least: 0, most: 3 }, limit, isSession: (name) => name.startsWith('rollout-') && name.endsWith('.jsonl')
    },
    idOf: (name) =>
      /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=\.jsonl$)/i.exec(name)?.[0] ?? name.slice('rollout-'.length, -'.jsonl'.length)
  }]
}
