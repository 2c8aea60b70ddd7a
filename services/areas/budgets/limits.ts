import { isRecord } from '../../ground/fields.js'
import { isOneOf } from '../../ground/one-of.js'

/**
 * What a budget covers: one turn with its sub-agents, one conversation, all attempts at a task, one scheduled job in a day, or everything
 * of a profile in a day.
 */
export const scopes = ['turn', 'session', 'attempts', 'job', 'day'] as const
export type BudgetScope = typeof scopes[number]

/** Money in US dollars, and tokens: all tokens of prompts, including cached ones, and of answers. */
export const measures = ['usd', 'tokens'] as const
export type Measure = typeof measures[number]

export const limitNames = ['soft_usd', 'hard_usd', 'soft_tokens', 'hard_tokens'] as const
export type LimitName = typeof limitNames[number]

/** Limits that are set; an absent one means no limit. All are above 0. */
export type Limits = Partial<Record<LimitName, number>>
export type BudgetLimits = Record<BudgetScope, Limits>

const mostUsd = 1_000_000_000
const mostTokens = 1_000_000_000_000_000

/** Reads a limit of this name; for an invalid value, returns what it must be, in words. */
export function readLimit (name: LimitName, value: unknown): number | { mustBe: string } {
  if (name.endsWith('_usd')) return typeof value === 'number' && value > 0 && value <= mostUsd ? value : { mustBe: 'a number of US dollars above 0' }
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= mostTokens
    ? value
    : { mustBe: 'a whole number of tokens above 0' }
}

/**
 * Reads the section `budgets` of a config.yaml. An invalid entry limits nothing, and is reported in `problems`, in one sentence without its
 * value. Pure; never throws.
 */
export function readBudgets (config: Readonly<Record<string, unknown>>): { limits: BudgetLimits, problems: string[] } {
  const limits: BudgetLimits = { turn: {}, session: {}, attempts: {}, job: {}, day: {} }
  const problems: string[] = []
  const section = mappingOf(config['budgets'], 'budgets', problems)
  for (const key of Object.keys(section)) if (!isOneOf(scopes, key)) problems.push(unknownKey('budgets', key, scopes))
  for (const scope of scopes) {
    const given = mappingOf(section[scope], `budgets.${scope}`, problems)
    for (const [key, value] of Object.entries(given)) {
      if (value === null) continue
      if (!isOneOf(limitNames, key)) {
        problems.push(unknownKey(`budgets.${scope}`, key, limitNames))
        continue
      }
      const limit = readLimit(key, value)
      if (typeof limit === 'number') limits[scope][key] = limit
      else problems.push(`budgets.${scope}.${key}: must be ${limit.mustBe}`)
    }
  }
  return { limits, problems }
}

export const hasLimits = (limits: BudgetLimits): boolean => scopes.some((scope) => Object.keys(limits[scope]).length > 0)

function mappingOf (value: unknown, path: string, problems: string[]): Record<string, unknown> {
  if (value === undefined || value === null) return {}
  if (isRecord(value)) return value
  problems.push(`${path}: must be a mapping`)
  return {}
}

/** A mistyped key limits nothing, which its author would otherwise learn only from the bill. */
function unknownKey (path: string, key: string, known: readonly string[]): string {
  return /^\w{1,40}$/.test(key)
    ? `${path}.${key}: not known; there are ${known.join(', ')}`
    : `${path}: a key that is not known; there are ${known.join(', ')}`
}
