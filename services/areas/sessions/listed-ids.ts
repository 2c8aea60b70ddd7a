import { oneRow, type Database } from '../../ground/database/index.js'
import { activity, isListed } from './list-conditions.js'

export interface ListFlags {
  profile: string
  allProfiles: boolean
  includeArchived: boolean
  /** Paging of the archived rows, if they are included. */
  archivedLimit: number
  archivedOffset: number
  source: 'all' | 'webui' | 'cli'
}

/** Which sessions of this service an answer has: those it counts, those it shows, and those it only refers to. */
export interface ListedIds { ours: string[], listed: string[], archived: string[], references: string[] }

/** Finds which sessions a list has, and in which order: queries over an index, ids and counts only. */
export function createListedIds ({ sqlite }: Database) {
  const own = sqlite.prepare<[string], string>(
    `select id from sessions where profile = ? and ${isListed} order by ${activity} desc`
  ).pluck()
  const every = sqlite.prepare<[], string>(`select id from sessions where ${isListed} order by ${activity} desc`).pluck()
  const archivedOwn = sqlite.prepare<[string, number, number], string>(
    `select id from sessions where profile = ? and archived = 1 and hidden = 0 order by ${activity} desc limit ? offset ?`
  ).pluck()
  const archivedEvery = sqlite.prepare<[number, number], string>(
    `select id from sessions where archived = 1 and hidden = 0 order by ${activity} desc limit ? offset ?`
  ).pluck()
  const archived = sqlite.prepare<[string], { own: number, every: number }>(
    'select count(*) filter (where profile = ?) as own, count(*) as every from sessions where archived = 1 and hidden = 0'
  )
  const others = sqlite.prepare<[string], number>(`select count(*) from sessions where profile <> ? and ${isListed}`).pluck()
  const archivedAncestors = (ofWhom: string): string => `with recursive above(id) as (
      select parent_session_id from sessions where ${ofWhom} and ${isListed} and parent_session_id is not null
      union select parent_session_id from sessions join above on sessions.id = above.id where parent_session_id is not null)
    select sessions.id from above join sessions on sessions.id = above.id where archived = 1 and hidden = 0`
  const ancestorsOwn = sqlite.prepare<[string], string>(archivedAncestors('profile = ?')).pluck()
  const ancestorsEvery = sqlite.prepare<[], string>(archivedAncestors('true')).pluck()

  return {
    of ({ profile, allProfiles, includeArchived, archivedLimit, archivedOffset, source }: ListFlags): ListedIds {
      const ours = allProfiles ? every.all() : own.all(profile)
      if (source === 'cli') return { ours, listed: [], archived: [], references: [] }
      if (!includeArchived) {
        return { ours, listed: ours, archived: [], references: allProfiles ? ancestorsEvery.all() : ancestorsOwn.all(profile) }
      }
      return {
        ours, listed: ours,
        archived: allProfiles ? archivedEvery.all(archivedLimit, archivedOffset) : archivedOwn.all(profile, archivedLimit, archivedOffset),
        references: []
      }
    },

    /** Returns how many sessions are archived, and how many listed ones belong to other profiles. */
    counts ({ profile, allProfiles }: ListFlags): { archived: number, otherProfiles: number } {
      const { own: here, every: inAll } = oneRow(archived, profile)
      return { archived: allProfiles ? inAll : here, otherProfiles: oneRow(others, profile) }
    }
  }
}
