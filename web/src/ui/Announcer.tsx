import { signal } from '@preact/signals'

const said = signal({ text: '', odd: false })

/** Makes a screen reader say something. */
export function announce (text: string): void {
  // An effect that announces must not run again because of it.
  said.value = { text, odd: !said.peek().odd }
}

/** The live region for screen readers; once in the app. */
export function Announcer () {
  return <div class='visually-hidden' role='status' aria-live='polite'>{spoken(said.value)}</div>
}

// The same text would not be announced twice, so an invisible blank makes it different.
const spoken = ({ text, odd }: { text: string, odd: boolean }): string => text === '' ? '' : text + (odd ? '\u00a0' : '')
