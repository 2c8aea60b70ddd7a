import { signal } from '@preact/signals'

const said = { polite: signal({ text: '', odd: false }), assertive: signal({ text: '', odd: false }) }

/** Has a screen reader say something: `assertive` breaks into what it is saying. */
export function announce (text: string, urgency: 'polite' | 'assertive' = 'polite'): void {
  const region = said[urgency]
  // Whoever says something in an effect does not want to be called by that again.
  region.value = { text, odd: !region.peek().odd }
}

/** The regions that screen readers listen to; once in the app, for as long as it is there. */
export function Announcer () {
  const { polite, assertive } = said
  return (
    <div class='visually-hidden'>
      <div role='status' aria-live='polite'>{spoken(polite.value)}</div>
      <div role='alert' aria-live='assertive'>{spoken(assertive.value)}</div>
    </div>
  )
}

// The same text twice is no change of the page, and would not be said; a blank that does not show makes it one.
const spoken = ({ text, odd }: { text: string, odd: boolean }): string => text === '' ? '' : text + (odd ? '\u00a0' : '')
