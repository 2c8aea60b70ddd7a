import { isLong, knownMasked, redactAhead, textsIn } from '../../ground/redaction/index.js'
import { encodeAhead } from '../../ground/text/json-ahead.js'

/**
 * Does what takes long when rows with the texts of a value are written, with pauses: masks long texts, and encodes them with and without
 * their credentials. A transaction, which cannot wait, is short soon after. `unmasked`: what is stored only as it is.
 */
export async function prepareRows (value: unknown, unmasked: unknown = null): Promise<void> {
  const texts = textsIn(value).filter(isLong)
  await redactAhead(texts)
  await encodeAhead([...texts.flatMap((text) => [text, knownMasked(text) ?? text]), ...textsIn(unmasked).filter(isLong)])
}
