import { navigate } from 'wouter-preact/use-browser-location'
import { openConversation } from '../conversation/open-chat.js'
import { places } from '../shell/places.js'

/** Puts a question into the box of a new chat, to be sent from there. */
export function askInNewChat (text: string): void {
  navigate(places.start)
  openConversation(null).draft.giveBack(text)
  requestAnimationFrame(() => document.getElementById('message')?.focus())
}
