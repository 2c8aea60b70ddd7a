import { actions, cards, missingDiffs, remarks } from './cards.js'
import { git } from './git.js'
import { leaving, reading } from './reading.js'
import { type Params } from './reason.js'
import { sayWith } from './say.js'
import { warnings } from './warnings.js'

/**
 * The texts for a person about a call or a turn, by stable code. Each returns the English sentence for its parameters, and the sentences of
 * its details. Codes are part of the interface: a released one is never renamed, and its parameters stay.
 */
const english = { ...actions, ...remarks, ...missingDiffs, ...cards, ...reading, ...leaving, ...git, ...warnings }

export type ReasonCode = keyof typeof english
/** The texts of a language, one for each code. */
export type ReasonTexts = Readonly<typeof english>
/** Codes that say only what a call would do, which the title of its card already says. */
export type ActionCode = keyof typeof actions

/** `details`: the items of the text's list, such as why a command leaves the sandbox. */
export interface Reason { code: ReasonCode, params: Params, details?: readonly Reason[] }

type ParamsOf<Code extends ReasonCode> = Params & Parameters<ReasonTexts[Code]>[0]
type PlainCode = { [Code in ReasonCode]: ReasonTexts[Code] extends () => string ? Code : never }[ReasonCode]

/** Creates a reason; the compiler checks its parameters against its text. */
export function reason (code: PlainCode): Reason
export function reason<Code extends ReasonCode> (code: Code, params: ParamsOf<Code>, details?: readonly Reason[]): Reason
export function reason (code: ReasonCode, params: Params = {}, details?: readonly Reason[]): Reason {
  return { code, params, ...details === undefined ? {} : { details } }
}

/** All codes, sorted. */
export const reasonCodes: readonly ReasonCode[] = Object.keys(english).filter(isReasonCode).sort()

/** Returns whether this version knows the code. */
export function isReasonCode (code: string): code is ReasonCode {
  return Object.hasOwn(english, code)
}

/** Returns a reason's English sentence. */
export const inEnglish = (said: Reason): string => sayWith(english, said)

/** Joins the sentences of several reasons. Only the first may lack its full stop, which is added. */
export function sentencesOf (said: readonly Reason[]): string {
  const [first = '', ...others] = said.map(inEnglish)
  return others.length === 0 ? first : [/[.!?…]$/.test(first) ? first : `${first}.`, ...others].join(' ')
}

/** The English texts, which the app uses too. */
export { english as englishReasons }
export { type Params } from './reason.js'
