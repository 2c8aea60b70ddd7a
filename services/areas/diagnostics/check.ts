import { type Static } from '@sinclair/typebox'
import { type DiagnosticsCheck, type DiagnosticsCode } from '../../../schemas/diagnostics.js'

/** A line of the report. */
export type Line = Static<typeof DiagnosticsCheck>

export interface Finding {
  status: Line['status']
  /** What was found, in a sentence without secrets. */
  message: string
  /** What to do about it; commands and settings are on lines of their own, where a sentence is a comment: people copy them together. */
  fix: string | null
  /** Which of several things the finding is about. */
  about?: string
  /** Names the sentence for clients that show it in another language. */
  code?: DiagnosticsCode
  /** What the sentence of the code contains. */
  values?: Record<string, string>
}

type Found = Finding | Finding[]

export interface Check extends Pick<Line, 'id' | 'group' | 'title'> {
  /** A check that takes longer is reported as unfinished. Default: 5 s. */
  limitMs?: number
  /** Leaves nothing behind. An error that it throws is reported as a failed check. */
  run: (signal: AbortSignal) => Found | Promise<Found>
}

export const ok = (message: string): Finding => ({ status: 'ok', message, fix: null })
export const warning = (message: string, fix: string | null, code?: DiagnosticsCode): Finding =>
  ({ status: 'warning', message, fix, ...code === undefined ? {} : { code } })
export const problem = (message: string, fix: string | null, code?: DiagnosticsCode): Finding =>
  ({ status: 'error', message, fix, ...code === undefined ? {} : { code } })
export const skipped = (message: string, fix: string | null = null): Finding => ({ status: 'skipped', message, fix })

/** Returns a finding with its code, and the values that its sentence contains. */
export const coded = (finding: Finding, code: DiagnosticsCode, values: Record<string, string | number> = {}): Finding =>
  ({ ...finding, code, values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])) })

/** Returns the problems of several things, or a single finding that says that all is well. */
export const orOk = (problems: Finding[], message: string, code?: DiagnosticsCode): Finding[] =>
  problems.length > 0 ? problems : [code === undefined ? ok(message) : coded(ok(message), code)]
