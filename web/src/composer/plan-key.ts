import { type OpenChat } from '../conversation/open-chat.js'
import { announce } from '../ui/Announcer.js'
import { attempt } from '../ui/attempt.js'
import { words } from '../words/index.js'

/** How long after the key press the change is sent to the service: a person who only tabs through the box changes nothing. */
const settleMs = 400

/**
 * Shift+Tab in the box switches plan mode. If it is pressed again, with no other key in between, it undoes that and leaves the box as
 * usual, so that keyboard users are not trapped in it.
 */
export function createPlanKey ({ conversation }: Pick<OpenChat, 'conversation'>) {
  let timer: ReturnType<typeof setTimeout> | null = null
  let wasPressed = false

  const forget = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }

  return {
    /** Returns whether the key was handled. */
    onKey (event: KeyboardEvent): boolean {
      if (event.key === 'Shift') return false
      const isPlanKey = event.key === 'Tab' && event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey
      if (!isPlanKey || conversation.session.peek()?.read_only === true) {
        wasPressed = false
        return false
      }
      if (wasPressed) {
        wasPressed = false
        if (timer !== null) forget()
        else void attempt(async () => { await conversation.setPlanning(conversation.session.peek()?.mode !== 'plan') })
        return false
      }
      wasPressed = true
      const isOn = conversation.session.peek()?.mode !== 'plan'
      announce(isOn ? words.peek().composer.planOn : words.peek().composer.planOff)
      timer = setTimeout(() => {
        timer = null
        void attempt(async () => { await conversation.setPlanning(isOn) })
      }, settleMs)
      event.preventDefault()
      return true
    },

    /** Called when the box has lost the focus. */
    left (): void { wasPressed = false }
  }
}
