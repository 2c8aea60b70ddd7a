import { type Static } from '@sinclair/typebox'
import { type MessageVersions } from '../../../schemas/sessions.js'
import { type Database } from '../../ground/database/index.js'
import { type SessionRow } from './rows.js'

type Versions = Static<typeof MessageVersions>

/**
 * Finds the versions of messages: a message that was sent again, perhaps edited, replaced one that a branch keeps. Such a branch may itself
 * have been continued with another version.
 */
export function createVersions ({ sqlite }: Database) {
  const kept = sqlite.prepare<[string], { id: string, at: number }>(
    "select id, version_index as at from sessions where parent_session_id = ? and version_index is not null and source = 'fork'")
  const replacedIn = sqlite.prepare<[string, number], string>(
    "select parent_session_id from sessions where id = ? and version_index = ? and source = 'fork'"
  ).pluck()
  const sentAt = sqlite.prepare<[string, number], number>(
    `select messages.created_at from sessions join messages on session_id = sessions.id
     where sessions.id = ? and position = ? and position < message_count and source <> 'deleted'`).pluck()

  /** Returns the branches of a session that keep versions, by the index of the message. */
  const branchesOf = (id: string): Map<number, string[]> => {
    const found = new Map<number, string[]>()
    for (const branch of kept.all(id)) {
      const there = found.get(branch.at)
      if (there === undefined) found.set(branch.at, [branch.id])
      else there.push(branch.id)
    }
    return found
  }

  /** Returns a session and the branches that lead from it, each before its own ones. A chain of them may be very long. */
  function * holdersFrom (first: string, branches: (id: string) => readonly string[]): Generator<string> {
    const open = [first]
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      yield id
      for (const branch of branches(id).toReversed()) open.push(branch)
    }
  }

  /** Returns the sessions with different versions of the message at `index`, the oldest version first. */
  function at (index: number, id: string, branches: (id: string) => readonly string[]): string[] {
    let first = id
    for (let next: string | undefined = id; next !== undefined; next = replacedIn.get(next, index)) first = next
    // A copy has the time of its original. Until the message is replaced, the branch that keeps it holds no other version.
    const holders = new Map<number, string>()
    for (const each of [id, ...holdersFrom(first, branches)]) {
      const time = sentAt.get(each, index)
      if (time !== undefined && !holders.has(time)) holders.set(time, each)
    }
    return [...holders].toSorted(([a], [b]) => a - b).map(([, holder]) => holder)
  }

  /** Returns the messages of a session that have several versions, in their order. */
  return ({ id, versionIndex, messageCount }: Pick<SessionRow, 'id' | 'versionIndex' | 'messageCount'>): Versions[] => {
    // Read once for all messages.
    const known = new Map<string, ReturnType<typeof branchesOf>>()
    const branches = (id: string): ReturnType<typeof branchesOf> => {
      const found = known.get(id) ?? branchesOf(id)
      known.set(id, found)
      return found
    }
    const places = new Set([...branches(id).keys(), ...(versionIndex === null ? [] : [versionIndex])])
    return [...places].filter((index) => index < messageCount).toSorted((a, b) => a - b)
      .map((index) => ({ index, session_ids: at(index, id, (each) => branches(each).get(index) ?? []) }))
      .filter(({ session_ids: ids }) => ids.length > 1)
  }
}
