import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type WireReason } from '../../../schemas/reasons.js'
import { sentencesOf, type Reason } from '../../../reasons/index.js'
import { reasonForm, type ApprovalAsk } from '../../agent/protocol.js'
import { type Showing } from './showing.js'

type Wire = Static<typeof WireReason>
const wellFormed = Type.Array(reasonForm)

/**
 * What the sentence of an approval says, by codes, masked like the sentence. Absent where a version that this one does not know has asked:
 * codes that do not say what the sentence says are not passed on.
 */
export function reasonsToWire ({ description, reasons }: Pick<ApprovalAsk, 'description' | 'reasons'>, showing: Showing): { reasons?: Wire[] } {
  if (reasons === undefined || !Value.Check(wellFormed, reasons) || sentencesOf(reasons) !== description) return {}
  const texts: string[] = []
  for (const each of reasons) gather(each, texts)
  const shown = showing.pieces(texts, ' ')[Symbol.iterator]()
  return { reasons: reasons.map((each) => withTexts(each, shown)) }
}

function gather ({ params, details = [] }: Reason, texts: string[]): void {
  for (const value of Object.values(params)) if (typeof value === 'string') texts.push(value)
  for (const detail of details) gather(detail, texts)
}

/** The same with the next of `texts` for each of its own. */
function withTexts ({ code, params, details }: Reason, texts: Iterator<string>): Wire {
  const shown: Wire['params'] = {}
  for (const [name, value] of Object.entries(params)) shown[name] = typeof value === 'string' ? String(texts.next().value) : value
  return { code, params: shown, ...details === undefined ? {} : { details: details.map((detail) => withTexts(detail, texts)) } }
}
