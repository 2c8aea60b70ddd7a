import { createTwoFilesPatch } from 'diff'
import { join } from 'node:path'
import { within } from '../../ground/containment.js'
import { projectContexts } from '../project-context.js'
import { createRecords, type Kept, type RulesChange, type Running } from './records.js'

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
  const isOwn = (record: Kept<RulesChange>): boolean => record.workspace === workspace && record.path === ownRules(workspace)
  const concerned = records.all().filter((record): record is Kept<RulesChange> | Kept<Running> =>
    (record.kind === 'running' && record.workspace === workspace) || (record.kind === 'rules' && (isOwn(record) || inForce?.files.includes(record.path) === true)))
  if (concerned.length === 0) return null
  const oldest = concerned.find((record) => record.kind === 'running' || isOwn(record))
  const before = oldest === undefined ? null : oldest.kind === 'running' ? oldest.rules : oldest.before
  const after = inForce?.text ?? null
  const changes = concerned.filter(({ kind }) => kind === 'rules').map(({ id }) => id)
  if (before === after) {
    // It is as it was again.
    if (concerned.every(({ kind }) => kind === 'rules')) for (const id of changes) records.remove(id)
    return null
  }
  const lines = (text: string | null): string => text === null ? '' : `${text}\n`
  const name = inForce?.name ?? 'AGENTS.md'
  const diff = createTwoFilesPatch(name, name, lines(before), lines(after), 'before', 'now', { timeout: 200 }) as string | undefined
  return { records: changes, before, after, diff: diff ?? `All of it is new:\n${lines(after)}` }
}

/**
 * What stands for a change of a command's file that confined commands have made unasked, also one that is still running; null when
 * there is none. To be asked after the file was read.
 *
 * @param seal of the bytes that were read (`sealOf`)
 */
export function unacceptedCommand (folder: string, path: string, seal: string): string[] | null {
  const changes = createRecords(folder).all().filter((record) =>
    record.kind === 'rules' ? record.path === path : record.kind === 'running' && within(record.workspace, path) && record.instructions[path] !== seal)
  return changes.length === 0 ? null : changes.filter(({ kind }) => kind === 'rules').map(({ id }) => id)
}
