import { createTwoFilesPatch } from 'diff'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { createRecords, type Kept, type RulesChange, type Running } from './records.js'

/** The file of a workspace whose text turns are given as rules. */
export const rulesName = 'AGENTS.md'
const limitBytes = 20_000

/** Rules that a confined command has changed, and nobody has accepted yet. */
export interface PendingRules {
  /** What stands for the change; to be told when a person has accepted it. */
  records: string[]
  before: string | null
  after: string | null
  /** From the one to the other, for a person. */
  diff: string
}

/** The text that counts as rules: the beginning of a plain file. Null when there is none. */
export function readRules (path: string): string | null {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    if (!fstatSync(descriptor).isFile()) return null
    const buffer = Buffer.alloc(limitBytes)
    const text = buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, limitBytes, 0)).trim()
    return text === '' ? null : text
  } catch {
    return null
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** What confined commands have made of the rules at `path`, also one that is still running; null when nothing is to be asked. */
export function pendingRules (folder: string, path: string): PendingRules | null {
  const records = createRecords(folder)
  const own = records.all().filter((record): record is Kept<RulesChange> | Kept<Running> =>
    (record.kind === 'rules' && record.path === path) || (record.kind === 'running' && `${record.workspace}/${rulesName}` === path))
  const [oldest] = own
  if (oldest === undefined) return null
  const before = oldest.kind === 'rules' ? oldest.before : oldest.rules
  const after = readRules(path)
  const changes = own.filter(({ kind }) => kind === 'rules').map(({ id }) => id)
  if (before === after) {
    // It is as it was again.
    if (own.every(({ kind }) => kind === 'rules')) for (const id of changes) records.remove(id)
    return null
  }
  const lines = (text: string | null): string => text === null ? '' : `${text}\n`
  const diff = createTwoFilesPatch(rulesName, rulesName, lines(before), lines(after), 'before', 'now', { timeout: 200 }) as string | undefined
  return { records: changes, before, after, diff: diff ?? `All of it is new:\n${lines(after)}` }
}
