import { englishReasons, type DeedCode, type ReasonTexts } from '../../../../reasons/index.js'

/** What the service says on cards, by its codes. What a call does is in the title of its card. */
export type CardTexts = Omit<ReasonTexts, DeedCode>

export const reasons: CardTexts = englishReasons
