import { signal } from '@preact/signals'

const said = { polite: signal({ text: '', odd: false }), assertive: signal({ text: '', odd: false }) }

/** Makes a screen reader say something; `assertive` interrupts it. */
export function announce (text: string, urgency: 'polite' | 'assertive' = 'polite'): void {
  const region = said[urgency]
  // An effect that announces must not run again because of it.
  region.value = { text, odd: !region.peek().odd }
}

/** The live regions for screen readers; once in the app. */
export function Announcer () {
  const { polite, assertive } = said
  return (
    <div class='visually-hidden'>
      <div role='status' aria-live='polite'>{spoken(polite.value)}</div>
      <div role='alert' aria-live='assertive'>{spoken(assertive.value)}</div>
    </div>
  )
}

// The same text would not be announced twice, so an invisible blank makes it different.
const spoken = ({ text, odd }: { text: string, odd: boolean }): string => text === '' ? '' : text + (odd ? '\u00a0' : '')
