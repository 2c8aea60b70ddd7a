import { cards, deeds, remarks } from './cards.js'
import { git } from './git.js'
import { leaving, reading } from './reading.js'
import { type Params } from './reason.js'
import { sayWith } from './say.js'
import { warnings } from './warnings.js'

/**
 * What the service says to a person about a call or a turn, by a stable code: each text makes the English sentence of its parameters, and
 * of the sentences of its details. Codes are part of the interface: one that was sent is not renamed, and its parameters stay.
 */
const english = { ...deeds, ...remarks, ...cards, ...reading, ...leaving, ...git, ...warnings }

export type ReasonCode = keyof typeof english
/** A text for each code, as a language has it. */
export type ReasonTexts = Readonly<typeof english>
/** What says only what a call is, which the title of a card says as well. */
export type DeedCode = keyof typeof deeds

/** `details`: what the text lists, such as why a command leaves the sandbox. */
export interface Reason { code: ReasonCode, params: Params, details?: readonly Reason[] }

type ParamsOf<Code extends ReasonCode> = Params & Parameters<ReasonTexts[Code]>[0]
type PlainCode = { [Code in ReasonCode]: ReasonTexts[Code] extends () => string ? Code : never }[ReasonCode]

/** Makes a reason; the compiler checks that its parameters are those of its text. */
export function reason (code: PlainCode): Reason
export function reason<Code extends ReasonCode> (code: Code, params: ParamsOf<Code>, details?: readonly Reason[]): Reason
export function reason (code: ReasonCode, params: Params = {}, details?: readonly Reason[]): Reason {
  return { code, params, ...details === undefined ? {} : { details } }
}

/** All codes, sorted. */
export const reasonCodes: readonly ReasonCode[] = Object.keys(english).filter(isReasonCode).sort()

/** Whether this version knows the code. */
export function isReasonCode (code: string): code is ReasonCode {
  return Object.hasOwn(english, code)
}

/** A reason as the service says it. */
export const inEnglish = (said: Reason): string => sayWith(english, said)

/** Several of them, one sentence after the other; only the first may lack its full stop. */
export function sentencesOf (said: readonly Reason[]): string {
  const [first = '', ...others] = said.map(inEnglish)
  return others.length === 0 ? first : [/[.!?…]$/.test(first) ? first : `${first}.`, ...others].join(' ')
}

/** The texts of the service, which are those of an English app. */
export { english as englishReasons }
export { type Params } from './reason.js'
