import { type Signal } from '@preact/signals'
import { type Approval } from '../core/conversation/prompts.js'
import { InOrder } from '../ui/InOrder.js'
import { screenWords } from '../words/index.js'
import { foldedText, partsFrom, partsOf, type TextPart } from './folding.js'

export interface CardTextProps {
  approval: Approval
  field: 'command' | 'description' | 'content'
  text: string
  /** Where the shown text begins. */
  from?: number
  /** Whether credentials are shown, for the whole card. */
  isOpen: Signal<boolean>
}

/** Shows a text of a card; a credential shows only its length, and its value on a tap. */
export const CardText = ({ approval, field, text, from = 0, isOpen }: CardTextProps) =>
  <CardParts parts={partsFrom(partsOf(approval, field, text), from)} isOpen={isOpen} isProse={field === 'description'} />

/** Shows a text that is already split. `isProse`: its direction is that of its language. */
export function CardParts ({ parts, isOpen, isProse }: { parts: readonly TextPart[], isOpen: Signal<boolean>, isProse: boolean }) {
  const w = screenWords.value.prompts
  return (
    <bdi dir={isProse ? undefined : 'ltr'}>
      {parts.map(({ text: part, kind, chars }, at) => {
        if (kind === 'plain' || (kind === 'folded' && isOpen.value)) {
          return isProse ? part : <InOrder key={at} text={part} />
        }
        if (kind === 'secret') return <span key={at} class='prompt-secret'>{w.secret(chars)}</span>
        return (
          <button key={at} type='button' class='prompt-folded' data-hint={w.unfold} onClick={() => { isOpen.value = true }}>
            {w.folded(chars)}
          </button>
        )
      })}
    </bdi>
  )
}

/**
 * Returns a diff with its credentials hidden. Because a diff is not drawn as one text, hidden parts are marked, and a button below shows
 * all of them.
 */
export function useFoldedDiff (approval: Approval, isOpen: Signal<boolean>): { diff: string | undefined, hasFolded: boolean } {
  const w = screenWords.value.prompts
  const { diff } = approval
  if (diff === undefined) return { diff, hasFolded: false }
  const parts = partsOf(approval, 'diff', diff)
  const seen = isOpen.value ? parts.map((part) => part.kind === 'folded' ? { ...part, kind: 'plain' as const } : part) : parts
  const shown = seen.map((part) => foldedText([part], part.kind === 'secret' ? w.secret : w.folded)).join('')
  return { diff: shown, hasFolded: seen.some(({ kind }) => kind === 'folded') }
}
