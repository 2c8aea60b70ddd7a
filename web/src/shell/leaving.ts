import { createUnsavedText } from '../core/composer/unsaved-text.js'

/**
 * Selects fields whose text is stored nowhere until it is saved: those of dialogs, and long ones. The message box of a chat and edited
 * files store theirs themselves.
 */
const unsaved = 'dialog input:not([type=search], [type=checkbox], [type=radio], [type=file], [role=combobox]), textarea.field-area, .bubble-edit textarea'

/** Makes the browser ask before the page is left with unsaved text, for whatever reason. Called once. */
export function askBeforeLeaving (): void {
  const typed = createUnsavedText()
  addEventListener('focusin', ({ target }) => {
    if ((target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.matches(unsaved)) typed.begin(target)
  })
  addEventListener('beforeunload', (event) => { if (typed.isAny()) event.preventDefault() })
}
