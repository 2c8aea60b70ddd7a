import { type Database } from '../../ground/database/index.js'

export const sections = ['memory', 'user', 'soul'] as const
export type Section = typeof sections[number]
export type Author = 'person' | 'agent' | 'disk'

/** `text` is null if there was no file. */
export interface VersionRow { id: number, text: string | null, author: Author, createdAt: number }

/** How many versions of each document are kept. */
const keptVersions = 20

/** The statements of the table `memory_versions`; writes run inside the caller's transaction. */
export function createVersionRows ({ sqlite }: Database) {
  const columns = 'id, text, author, created_at as createdAt'
  const list = sqlite.prepare<[string, Section], VersionRow>(
    `select ${columns} from memory_versions where profile = ? and section = ? order by id desc`
  )
  const find = sqlite.prepare<[string, Section, number], VersionRow>(
    `select ${columns} from memory_versions where profile = ? and section = ? and id = ?`
  )
  const newest = sqlite.prepare<[string, Section], VersionRow>(
    `select ${columns} from memory_versions where profile = ? and section = ? order by id desc limit 1`
  )
  const insert = sqlite.prepare('insert into memory_versions (profile, section, text, author, created_at) values (?, ?, ?, ?, ?)')
  const prune = sqlite.prepare(`delete from memory_versions where profile = ? and section = ? and id not in
    (select id from memory_versions where profile = ? and section = ? order by id desc limit ${keptVersions})`)
  const forget = sqlite.prepare('delete from memory_versions where profile = ?')

  return {
    /** Sorted from newest to oldest. */
    list: (profile: string, section: Section): VersionRow[] => list.all(profile, section),
    find: (profile: string, section: Section, id: number): VersionRow | undefined => find.get(profile, section, id),
    newest: (profile: string, section: Section): VersionRow | undefined => newest.get(profile, section),
    /** Adds a version, and deletes those beyond the limit. */
    insert (profile: string, section: Section, { text, author, createdAt }: Omit<VersionRow, 'id'>): void {
      insert.run(profile, section, text, author, createdAt)
      prune.run(profile, section, profile, section)
    },
    forget: (profile: string): void => { forget.run(profile) }
  }
}
