import { type ComponentChildren } from 'preact'
import './marks.css'

export type MarkKind = 'neutral' | 'accent' | 'wait' | 'bad' | 'good'

/** A short word or number in a rounded frame. Use `wait` only for things that wait for the person. */
export function Badge ({ kind = 'neutral', class: className, children }: { kind?: MarkKind, class?: string, children: ComponentChildren }) {
  return <span class={['badge', `badge-${kind}`, className].filter(Boolean).join(' ')}>{children}</span>
}

/** The dot of a row: amber for waiting, green for working. Without a label it is decoration beside a text. */
export function Dot ({ kind = 'accent', label }: { kind?: MarkKind, label?: string }) {
  return label === undefined
    ? <span class={`dot dot-${kind}`} aria-hidden />
    : <span class={`dot dot-${kind}`} role='img' aria-label={label} data-hint={label} />
}

/** Shows keys to press, such as `Ctrl K`. The style sheet hides it where the main pointer is a finger. */
export function Kbd ({ children }: { children: ComponentChildren }) {
  return <kbd class='kbd'>{children}</kbd>
}
