import { basename } from 'node:path'
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

const idOf: Record<ForeignRow['source'], (name: string) => string> = {
  claude_code: (name) => name.slice(0, -'.jsonl'.length),
  codex: (name) =>
    /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=\.jsonl$)/i.exec(name)?.[0] ?? name.slice('rollout-'.length, -'.jsonl'.length)
}

/** The id that a conversation has in its own front end. */
export const conversationId = ({ source, path }: Pick<ForeignRow, 'source' | 'path'>): string => idOf[source](basename(path))

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
    idOf: idOf.claude_code
  }, {
    name: 'codex',
    suffix: 'codex',
    search: {
      root: roots.codex, depth: { least: 0, most: 3 }, limit, isSession: (name) => name.startsWith('rollout-') && name.endsWith('.jsonl')
    },
    idOf: idOf.codex
  }]
}
