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
    `select id, version_index as at from sessions where parent_session_id = ? and version_index is not null and source = 'fork'
     order by created_at, rowid`)
  const replacedIn = sqlite.prepare<[string, number], string>(
    "select parent_session_id from sessions where id = ? and version_index = ? and source = 'fork'"
  ).pluck()
  const exists = sqlite.prepare<[string], number>("select 1 from sessions where id = ? and source <> 'deleted'").pluck()

  function at (index: number, id: string): string[] {
    let last = id
    for (let next: string | undefined = id; next !== undefined; next = replacedIn.get(next, index)) last = next
    const upTo = (id: string): string[] =>
      [...kept.all(id).flatMap((branch) => branch.at === index ? upTo(branch.id) : []), ...(exists.get(id) === undefined ? [] : [id])]
    return upTo(last)
  }

  /** Returns the messages of a session that have several versions, in their order. */
  return ({ id, versionIndex, messageCount }: Pick<SessionRow, 'id' | 'versionIndex' | 'messageCount'>): Versions[] => {
    const places = new Set([...kept.all(id).map((branch) => branch.at), ...(versionIndex === null ? [] : [versionIndex])])
    return [...places].filter((index) => index < messageCount).toSorted((a, b) => a - b)
      .map((index) => ({ index, session_ids: at(index, id) })).filter(({ session_ids: ids }) => ids.length > 1)
  }
}
