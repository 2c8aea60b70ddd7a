import { cardPage, cardText, redact, redactPieces, type CardMask } from '../../ground/redaction/index.js'
import { visible } from '../../ground/visible.js'

/** How the texts of a prompt or of a call are shown; what cannot be seen has signs in every case. */
export interface Showing {
  /** Under the name of its field; `masked`: the text with more masked than can be told from it alone. */
  text (field: string, text: string, more?: { mostChars?: number, masked?: string | undefined }): { text: string, isCut: boolean }
  /** Something in several pieces: what makes a credential known may stand in another piece. */
  pieces (pieces: readonly string[], separator: string): string[]
}

/** A place in one of the texts of a card. */
export type FieldMask = CardMask & { field: string }

/** Of a text that is longer than a card holds: where it goes on, and how many characters that are. */
export interface FieldRest { field: string, at: number, chars: number }

/** More are not told of what merely looks like a credential: the texts stand there in any case. */
const mostMasks = 200
/** What makes a credential known may stand so far behind the end of what is shown. */
const aroundCut = 4_000

/** For whoever only looks: with everything masked that looks like a credential. */
export function maskedShowing (see: (text: string) => string = visible): Showing {
  return {
    // Masked before it is cut, as a key that is cut is not known any more.
    text (_field, text, { mostChars = Infinity, masked = text } = {}) {
      const { text: shown, isCut } = cut(see(redact(masked.slice(0, mostChars + aroundCut))), mostChars)
      return { text: shown, isCut: isCut || masked.length > mostChars + aroundCut }
    },
    pieces: (pieces, separator) => redactPieces(pieces, separator).map(see)
  }
}

/** For whoever decides: nothing of what is going to be done is hidden. `masks` and `rest` gather what is to be known of the texts. */
export function cardShowing (
  see: (text: string) => string = visible, isMasked = true
): Showing & { masks: FieldMask[], rest: FieldRest[] } {
  const masks: FieldMask[] = []
  const rest: FieldRest[] = []
  return {
    masks,
    rest,
    text (field, text, { mostChars = Infinity } = {}) {
      const page = cardPage(text, { mostChars, see, isMasked })
      for (const mask of page.masks) if (mask.hidden !== undefined || masks.length < mostMasks) masks.push({ field, ...mask })
      const isCut = page.end < text.length
      if (isCut) rest.push({ field, at: page.end, chars: text.length - page.end })
      return { text: page.text, isCut }
    },
    pieces: (pieces) => isMasked ? pieces.map((piece) => cardText(piece, see).text) : pieces.map(see)
  }
}

/** Where the settings say that nothing is masked. */
export const plainShowing = (see: (text: string) => string = visible): ReturnType<typeof cardShowing> => cardShowing(see, false)

function cut (text: string, mostChars: number): { text: string, isCut: boolean } {
  return text.length <= mostChars ? { text, isCut: false } : { text: text.slice(0, mostChars).replace(/[\uD800-\uDBFF]$/, ''), isCut: true }
}
