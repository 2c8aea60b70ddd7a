import { type Database } from '../../ground/database/index.js'
import { hashOf, selectEntries, type AuditRow, type ChainLink } from './chain.js'

export type NewAuditRow = Omit<AuditRow, 'id' | 'previousHash' | 'hash'>

/** `kind`: a kind, or the first part of several. `text`: what details, name or address must contain. */
export interface AuditFilter { kind?: string, text?: string }

const fits = `(@kind is null or kind = @kind or substr(kind, 1, length(@kind) + 1) = @kind || '.') and (@text is null or
  instr(lower(details || ' ' || coalesce(actor_name, '') || ' ' || coalesce(address, '')), lower(@text)) > 0)`

/** Ids above `from`, up to and including `to`. */
interface EntryQuery { from: number, to: number, kind: string | null, text: string | null, limit: number }

/** The statements of the audit log and its anchor; writes run inside the caller's transaction. */
export function createAuditRows ({ sqlite }: Pick<Database, 'sqlite'>) {
  const newest = sqlite.prepare<[], ChainLink>('select id, hash from audit order by id desc limit 1')
  const anchor = sqlite.prepare<[], ChainLink>('select removed_up_to as id, hash from audit_anchor')
  const newestFirst = sqlite.prepare<[EntryQuery], AuditRow>(
    `${selectEntries} where id > @from and id <= @to and ${fits} order by id desc limit @limit`)
  const oldestFirst = sqlite.prepare<[EntryQuery], AuditRow>(`${selectEntries} where id > @from and id <= @to and ${fits} order by id limit @limit`)
  const insert = sqlite.prepare<[AuditRow]>(`insert into audit
    (id, at, kind, outcome, actor_kind, actor_id, actor_name, address, details, previous_hash, hash) values
    (@id, @at, @kind, @outcome, @actorKind, @actorId, @actorName, @address, @details, @previousHash, @hash)`)
  const setAnchor = sqlite.prepare<[ChainLink]>('insert into audit_anchor (id, removed_up_to, hash) values (1, @id, @hash)')
  const moveAnchor = sqlite.prepare<[ChainLink]>('update audit_anchor set removed_up_to = @id, hash = @hash')
  const remove = sqlite.prepare<[number]>('delete from audit where id <= ?')
  const firstYounger = sqlite.prepare<[number], number>('select id from audit where at > ? order by id limit 1').pluck()
  const hashAt = sqlite.prepare<[number], string>('select hash from audit where id = ?').pluck()

  /** Returns the last entry; for an empty log, the position of its anchor. */
  const head = (): ChainLink => newest.get() ?? anchor.get() ?? { id: 0, hash: '' }
  const asked = ({ kind, text }: AuditFilter) => ({ kind: kind ?? null, text: text ?? null })
  /** Returns the last entry that was removed; 0 if none was. */
  const removedUpTo = (): number => anchor.get()?.id ?? 0

  return {
    head,
    removedUpTo,

    append (entry: NewAuditRow): void {
      const { id, hash } = head()
      const row = { ...entry, id: id + 1, previousHash: hash }
      insert.run({ ...row, hash: hashOf(row) })
    },

    /** Returns the matching ones of the `looked` entries before an id, at most `limit`, newest first. */
    before: (id: number, { looked, limit }: { looked: number, limit: number }, filter: AuditFilter): AuditRow[] =>
      newestFirst.all({ from: id - 1 - looked, to: id - 1, limit, ...asked(filter) }),

    /** Returns the matching ones of the next `looked` entries after an id, oldest first. */
    after: (id: number, looked: number, filter: AuditFilter = {}): AuditRow[] =>
      oldestFirst.all({ from: id, to: id + looked, limit: looked, ...asked(filter) }),

    /** Returns the oldest entries up to the first that is younger than a time (epoch seconds), at most `most`; null if there are none. */
    olderThan (atS: number, most: number): { removed: number, upTo: number } | null {
      const kept = removedUpTo()
      const upTo = Math.min((firstYounger.get(atS) ?? head().id + 1) - 1, kept + most)
      return upTo <= kept ? null : { removed: upTo - kept, upTo }
    },

    /** Removes the oldest entries, up to and including an id. */
    trim (upTo: number): void {
      const hash = hashAt.get(upTo)
      if (hash === undefined) return
      if (anchor.get() === undefined) setAnchor.run({ id: upTo, hash })
      else moveAnchor.run({ id: upTo, hash })
      remove.run(upTo)
    }
  }
}
