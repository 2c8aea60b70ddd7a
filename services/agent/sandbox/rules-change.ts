import { createTwoFilesPatch } from 'diff'
import { join } from 'node:path'
import { within } from '../../ground/files/containment.js'
import { mayBeSame } from '../instructions.js'
import { projectContexts } from '../project-context.js'
import { createRecords, type BoundaryRecord, type StoredRecord, type RulesChange, type Running } from './records.js'
import { TextCache } from './texts.js'
import { ownFiles, sealOfFile } from './folder-views.js'

/** Returns the path that stands in records for all rules of a workspace, wherever they are. */
export const ownRules = (workspace: string): string => join(workspace, 'AGENTS.md')

/** Rules that a confined command has changed, and no person has accepted yet. */
export interface PendingRules {
  /** Ids that stand for the change; pass them on when a person has accepted it. */
  records: string[]
  before: string | null
  after: string | null
  /** The difference between the two, for a person. */
  diff: string
}

/**
 * Returns the changes that confined commands, including running ones, have made to the rules of a workspace; null if no permission is
 * needed. A file that they have written and that applies only now counts as new, because its earlier text is unknown.
 */
export function pendingRules (folder: string, workspace: string): PendingRules | null {
  const records = createRecords(folder)
  const { inForce } = projectContexts(workspace)
  const texts = new TextCache()
  const files = (inForce?.files ?? []).map((path) => ({ path, seal: sealOfFile(path, texts) }))
  const unseen = files.flatMap(({ path, seal }) => unseenFile(records.all(), path, seal) ?? [])
  // A command that is running in a folder above may have changed them just now.
  const runsAbove = (record: StoredRecord<Running>): boolean =>
    files.some(({ path, seal }) => within(record.workspace, path) && record.instructions[path] !== seal)
  const isOwn = (record: StoredRecord<RulesChange>): boolean => record.workspace === workspace && record.path === ownRules(workspace)
  const concerned = records.all().filter((record): record is StoredRecord<RulesChange> | StoredRecord<Running> =>
    (record.kind === 'running' && (record.workspace === workspace || (record.unseen?.length === 0 && runsAbove(record)))) ||
      (record.kind === 'rules' && (isOwn(record) || inForce?.files.some((path) => mayBeSame(path, record.path)) === true)))
  if (concerned.length === 0 && unseen.length === 0) return null
  const oldest = concerned.find((record) => record.workspace === workspace && (record.kind === 'running' || isOwn(record)))
  const before = oldest === undefined ? null : oldest.kind === 'running' ? oldest.rules : oldest.before
  const after = inForce?.text ?? null
  const changes = [...concerned.filter(({ kind }) => kind === 'rules').map(({ id }) => id), ...unseen]
  if (before === after) {
    // The rules are the same as before again.
    if (unseen.length === 0 && concerned.every(({ kind }) => kind === 'rules')) for (const id of changes) records.remove(id)
    return null
  }
  const lines = (text: string | null): string => text === null ? '' : `${text}\n`
  const name = inForce?.name ?? 'AGENTS.md'
  const diff = createTwoFilesPatch(name, name, lines(before), lines(after), 'before', 'now', { timeout: 200 })
  return { records: changes, before, after, diff: diff ?? `All of it is new:\n${lines(after)}` }
}

/**
 * Returns the ids that stand for a change that confined commands, including running ones, have made to the file of a slash command without
 * permission; null if there is none. Call it after the file has been read.
 *
 * @param seal seal of the bytes that were read (`sealOf`)
 */
export function unacceptedCommand (folder: string, path: string, seal: string): string[] | null {
  const records = createRecords(folder).all()
  const unseen = unseenFile(records, path, seal)
  const changes = records.filter((record) =>
    record.kind === 'rules'
      ? mayBeSame(record.path, path)
      : record.kind === 'running' && within(record.workspace, path) && record.instructions[path] !== seal)
  if (changes.length === 0 && unseen === null) return null
  return [...changes.filter(({ kind }) => kind === 'rules').map(({ id }) => id), ...unseen === null ? [] : [unseen]]
}

/**
 * Returns the id that stands for a file below a folder that was not inspected while confined commands ran there; null if a person has
 * accepted its current content, or it lies elsewhere. Rules and slash commands of such a workspace itself are still compared.
 */
function unseenFile (records: ReadonlyArray<StoredRecord<BoundaryRecord>>, path: string, seal: string): string | null {
  const covers = (folder: string, ownSeen: boolean): boolean => within(folder, path) && !(ownSeen && ownFiles(folder).includes(path))
  const isUnseen = records.some((record) => record.kind === 'unseen'
    ? covers(record.workspace, record.ownSeen)
    : record.kind === 'running' && record.unseen?.some((unseen) => covers(unseen, unseen === record.workspace)) === true)
  if (!isUnseen || records.some((record) => record.kind === 'accepted' && record.path === path && record.seal === seal)) return null
  return `${acceptance}${seal}:${path}`
}

const acceptance = 'file:'

/** Returns the file that an accepted id stands for; null if the id is that of a record. */
export function acceptedFile (id: string): { path: string, seal: string } | null {
  const [, seal, path] = /^file:([0-9a-f]{32}):([^]+)$/.exec(id) ?? []
  return seal === undefined || path === undefined ? null : { path, seal }
}
