import { cardText, redact, redactPieces, type CardMask } from '../ground/redaction/index.js'
import { visible } from '../ground/visible.js'

/** How the texts of a prompt or of a call are shown; what cannot be seen has signs in every case. */
export interface Showing {
  /** Under the name of its field; `masked`: the text with more masked than can be told from it alone. */
  text (field: string, text: string, more?: { mostChars?: number, masked?: string | undefined }): { text: string, isCut: boolean }
  /** Something in several pieces: what makes a credential known may stand in another piece. */
  pieces (pieces: readonly string[], separator: string): string[]
}

/** A place in one of the texts of a card. */
export type FieldMask = CardMask & { field: string }

/** More are not told of: the texts stand there in any case. */
const mostMasks = 200

/** For whoever only looks: with everything masked that looks like a credential. */
export function maskedShowing (see: (text: string) => string = visible): Showing {
  return {
    // Masked before it is cut, as a key that is cut is not known any more.
    text: (_field, text, { mostChars, masked = text } = {}) => cut(see(redact(masked)), mostChars),
    pieces: (pieces, separator) => redactPieces(pieces, separator).map(see)
  }
}

/** For whoever decides: nothing of what is going to be done is hidden. `masks` gathers what is to be known of the texts. */
export function cardShowing (see: (text: string) => string = visible): Showing & { masks: FieldMask[] } {
  const masks: FieldMask[] = []
  return {
    masks,
    text (field, text, { mostChars } = {}) {
      const card = cardText(text, see)
      const shown = cut(card.text, mostChars)
      for (const mask of card.masks) if (mask.end <= shown.text.length && masks.length < mostMasks) masks.push({ field, ...mask })
      return shown
    },
    pieces: (pieces) => pieces.map((piece) => cardText(piece, see).text)
  }
}

/** Where the settings say that nothing is masked. */
export function plainShowing (see: (text: string) => string = visible): Showing {
  return { text: (_field, text, { mostChars } = {}) => cut(see(text), mostChars), pieces: (pieces) => pieces.map(see) }
}

function cut (text: string, mostChars = Infinity): { text: string, isCut: boolean } {
  return text.length <= mostChars ? { text, isCut: false } : { text: text.slice(0, mostChars).replace(/[\uD800-\uDBFF]$/, ''), isCut: true }
}
