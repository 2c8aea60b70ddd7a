import { englishReasons, type ActionCode, type ReasonTexts } from '../../../../reasons/index.js'

/** The service's texts on cards, by code. What a call would do is in the title of its card. */
export type CardTexts = Omit<ReasonTexts, ActionCode>

export const reasons: CardTexts = englishReasons
