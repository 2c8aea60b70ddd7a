import { createTwoFilesPatch } from 'diff'
import { join } from 'node:path'
import { within } from '../../ground/containment.js'
import { mayBeSame } from '../instructions.js'
import { projectContexts } from '../project-context.js'
import { createRecords, type BoundaryRecord, type Kept, type RulesChange, type Running } from './records.js'
import { TextCache } from './texts.js'
import { ownFiles, sealOfFile } from './views.js'

/** Stands in records for the rules of a workspace as a whole, wherever they were. */
export const ownRules = (workspace: string): string => join(workspace, 'AGENTS.md')

/** Rules that a confined command has changed, and nobody has accepted yet. */
export interface PendingRules {
  /** What stands for the change; to be told when a person has accepted it. */
  records: string[]
  before: string | null
  after: string | null
  /** From the one to the other, for a person. */
  diff: string
}

/**
 * What confined commands have made of the rules of a workspace, also one that is still running; null when nothing is to be
 * asked. Of a file that they have written, and that counts only now, what it said before is not known: none.
 */
export function pendingRules (folder: string, workspace: string): PendingRules | null {
  const records = createRecords(folder)
  const { inForce } = projectContexts(workspace)
  const texts = new TextCache()
  const files = (inForce?.files ?? []).map((path) => ({ path, seal: sealOfFile(path, texts) }))
  const unseen = files.flatMap(({ path, seal }) => unseenFile(records.all(), path, seal) ?? [])
  // A command that runs in a folder above may have changed them just now.
  const runsAbove = (record: Kept<Running>): boolean =>
    files.some(({ path, seal }) => within(record.workspace, path) && record.instructions[path] !== seal)
  const isOwn = (record: Kept<RulesChange>): boolean => record.workspace === workspace && record.path === ownRules(workspace)
  const concerned = records.all().filter((record): record is Kept<RulesChange> | Kept<Running> =>
    (record.kind === 'running' && (record.workspace === workspace || (record.unseen?.length === 0 && runsAbove(record)))) ||
      (record.kind === 'rules' && (isOwn(record) || inForce?.files.some((path) => mayBeSame(path, record.path)) === true)))
  if (concerned.length === 0 && unseen.length === 0) return null
  const oldest = concerned.find((record) => record.workspace === workspace && (record.kind === 'running' || isOwn(record)))
  const before = oldest === undefined ? null : oldest.kind === 'running' ? oldest.rules : oldest.before
  const after = inForce?.text ?? null
  const changes = [...concerned.filter(({ kind }) => kind === 'rules').map(({ id }) => id), ...unseen]
  if (before === after) {
    // It is as it was again.
    if (unseen.length === 0 && concerned.every(({ kind }) => kind === 'rules')) for (const id of changes) records.remove(id)
    return null
  }
  const lines = (text: string | null): string => text === null ? '' : `${text}\n`
  const name = inForce?.name ?? 'AGENTS.md'
  const diff = createTwoFilesPatch(name, name, lines(before), lines(after), 'before', 'now', { timeout: 200 })
  return { records: changes, before, after, diff: diff ?? `All of it is new:\n${lines(after)}` }
}

/**
 * What stands for a change of a command's file that confined commands have made unasked, also one that is still running; null when
 * there is none. To be asked after the file was read.
 *
 * @param seal of the bytes that were read (`sealOf`)
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
 * What stands for a file below a folder that was not looked through while confined commands ran there, unless a person has accepted what it
 * says now; null when it is accepted, or lies elsewhere. Rules and commands of such a workspace itself are compared all the same.
 */
function unseenFile (records: ReadonlyArray<Kept<BoundaryRecord>>, path: string, seal: string): string | null {
  const covers = (folder: string, ownSeen: boolean): boolean => within(folder, path) && !(ownSeen && ownFiles(folder).includes(path))
  const isUnseen = records.some((record) => record.kind === 'unseen'
    ? covers(record.workspace, record.ownSeen)
    : record.kind === 'running' && record.unseen?.some((unseen) => covers(unseen, unseen === record.workspace)) === true)
  if (!isUnseen || records.some((record) => record.kind === 'accepted' && record.path === path && record.seal === seal)) return null
  return `${acceptance}${seal}:${path}`
}

const acceptance = 'file:'

/** Which file a person has accepted with what stands for it; null when that is a record. */
export function acceptedFile (id: string): { path: string, seal: string } | null {
  const [, seal, path] = /^file:([0-9a-f]{32}):([^]+)$/.exec(id) ?? []
  return seal === undefined || path === undefined ? null : { path, seal }
}
