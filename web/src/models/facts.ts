import { type Wire } from '../core/service/api.js'
import { type Words } from '../words/index.js'

type Facts = Pick<Wire<'ModelRow'>, 'price' | 'context_length' | 'vision' | 'reasoning'>

/** Returns the known facts of a model, in a few words each. An unknown price is named, other unknown facts are left out. */
export function factsOf ({ price, context_length: window, vision, reasoning }: Facts, w: Words['models']['facts']): string[] {
  return [
    priceText(price, w),
    ...(window === null ? [] : [w.window(window)]),
    ...(vision === true ? [w.vision] : []),
    ...(reasoning === true ? [w.reasoning] : [])
  ]
}

/** Formats a price per million tokens. An unknown price is not "free". */
function priceText (price: Facts['price'], w: Words['models']['facts']): string {
  if (price === null) return w.unknownPrice
  if (price.input === 0 && price.output === 0) return w.free
  const [tier] = price.tiers ?? []
  return w.price(w.amount(price.input), w.amount(price.output)) +
    (tier === undefined ? '' : ` ${w.tier(tier.input_tokens_above, w.amount(tier.input), w.amount(tier.output))}`)
}
