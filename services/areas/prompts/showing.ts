import { cardPage, cardText, redact, redactPieces, type CardMask } from '../../ground/redaction/index.js'
import { visible } from '../../ground/text/visible.js'
import { wholeTo } from '../../ground/text/whole-characters.js'

/** How the texts of a prompt or of a call are shown; invisible characters are always made visible. */
export interface Showing {
  /** Shows a text, under the name of its field; `masked`: the text with more masked than it alone would reveal. */
  text (field: string, text: string, more?: { mostChars?: number, masked?: string | undefined }): { text: string, isCut: boolean }
  /** Shows several pieces of one text: what identifies a credential may be in another piece. */
  pieces (pieces: readonly string[], separator: string): string[]
}

/** A masked range in one of the texts of a card. */
export type FieldMask = CardMask & { field: string }

/** For a text that is longer than a card: where the rest begins, and how many characters it has. */
export interface FieldRest { field: string, at: number, chars: number }

/** The limit of ranges that merely look like credentials: the texts are shown in any case. */
const mostMasks = 200
/** How far behind the end of the shown text masking looks for what identifies a credential. */
const aroundCut = 4_000

/** For viewers who may not decide: masks everything that looks like a credential. */
export function maskedShowing (see: (text: string) => string = visible): Showing {
  return {
    // Masked before it is cut, because a cut key is no longer recognised.
    text (_field, text, { mostChars = Infinity, masked = text } = {}) {
      const { text: shown, isCut } = cut(see(redact(masked.slice(0, mostChars + aroundCut))), mostChars)
      return { text: shown, isCut: isCut || masked.length > mostChars + aroundCut }
    },
    pieces: (pieces, separator) => redactPieces(pieces, separator).map(see)
  }
}

/** For readers who decide: nothing that will be done is hidden. `masks` and `rest` collect information about the texts. */
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

/** For settings that turn masking off. */
export const plainShowing = (see: (text: string) => string = visible): ReturnType<typeof cardShowing> => cardShowing(see, false)

function cut (text: string, mostChars: number): { text: string, isCut: boolean } {
  return text.length <= mostChars ? { text, isCut: false } : { text: wholeTo(text, mostChars), isCut: true }
}
