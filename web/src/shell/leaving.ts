import { createTyped } from '../core/composer/typed.js'

/**
 * Fields whose text nobody has before it is saved: those of dialogs, and long ones. The box of a chat keeps
 * its own, and so do files that are edited.
 */
const unsaved = 'dialog input:not([type=search], [type=checkbox], [type=radio], [type=file], [role=combobox]), textarea.field-area, .bubble-edit textarea'

/** Has the browser ask before the page goes with something half typed, whatever makes it go. Called once. */
export function askBeforeLeaving (): void {
  const typed = createTyped()
  addEventListener('focusin', ({ target }) => {
    if ((target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.matches(unsaved)) typed.begin(target)
  })
  addEventListener('beforeunload', (event) => { if (typed.isAny()) event.preventDefault() })
}
