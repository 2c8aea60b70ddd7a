import { signal } from '@preact/signals'
import { type Choice, type Waiting } from '../core/conversation/prompts.js'

/** A card that was answered in this window and is replaced by a line. */
export interface AnsweredCard {
  readonly waiting: Waiting
  /** The choice, or the text of an answer; null for a form. */
  readonly answer: { choice: Choice } | { text: string | null }
  /** The height of the card in pixels, from which it collapses to the line; 0 for a sheet. */
  readonly heightPx: number
}

export const answeredLast = signal<AnsweredCard | null>(null)
