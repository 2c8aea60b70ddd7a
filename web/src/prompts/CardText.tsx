import { type Signal } from '@preact/signals'
import { type Approval } from '../core/conversation/prompts.js'
import { InOrder } from '../ui/InOrder.js'
import { screenWords } from '../words/index.js'
import { foldedText, partsOf } from './folding.js'

export interface CardTextProps {
  approval: Approval
  field: 'command' | 'description' | 'content'
  text: string
  /** What looks like a credential is shown, of the whole card. */
  isOpen: Signal<boolean>
}

/** A text of a card; what looks like a credential says how long it is, and opens with a tap. */
export function CardText ({ approval, field, text, isOpen }: CardTextProps) {
  const w = screenWords.value.prompts
  return (
    <bdi dir={field === 'description' ? undefined : 'ltr'}>
      {partsOf(approval, field, text).map(({ text: part, kind, chars }, at) => {
        if (kind === 'plain' || (kind === 'folded' && isOpen.value)) {
          return field === 'description' ? part : <InOrder key={at} text={part} />
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

/** The same of a difference, which is no text of one piece: what is folded says so in it, and a button below opens all of it. */
export function useFoldedDiff (approval: Approval, isOpen: Signal<boolean>): { diff: string | undefined, hasFolded: boolean } {
  const w = screenWords.value.prompts
  const { diff } = approval
  if (diff === undefined) return { diff, hasFolded: false }
  const parts = partsOf(approval, 'diff', diff)
  const seen = isOpen.value ? parts.map((part) => part.kind === 'folded' ? { ...part, kind: 'plain' as const } : part) : parts
  const shown = seen.map((part) => foldedText([part], part.kind === 'secret' ? w.secret : w.folded)).join('')
  return { diff: shown, hasFolded: seen.some(({ kind }) => kind === 'folded') }
}
