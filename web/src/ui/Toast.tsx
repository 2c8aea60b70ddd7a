import { useEffect, useRef } from 'preact/hooks'
import { words } from '../words/index.js'
import { Button } from './Button.js'
import { X } from './icons.js'
import { openDialogs } from './open-dialogs.js'
import { heightBelowToasts, keepToasts, remove, toasts, type Toast } from './toasts.js'
import { Within } from './Within.js'
import './toast.css'

export { toast } from './toasts.js'

/** Shows toasts; once in the app. They lie inside the topmost dialog, because nothing outside of it can be clicked. */
export function Toasts () {
  const region = useRef<HTMLDivElement>(null)
  const { value } = toasts
  const dialog = openDialogs.value.at(-1)
  useEffect(() => {
    const element = region.current
    if (element?.showPopover === undefined || !element.isConnected) return
    // The popover that was shown last is on top, so it is shown again to cover dialogs opened meanwhile.
    if (element.matches(':popover-open')) element.hidePopover()
    if (value.length > 0) element.showPopover()
  }, [value, dialog])
  const shown = (
    <div
      ref={region} popover='manual' class='toasts' role='region' aria-label={words.value.ui.notifications} aria-live='polite'
      style={{ '--below': `${heightBelowToasts.value}px` }}
      onPointerEnter={() => keepToasts(true)} onPointerLeave={() => keepToasts(false)}
      onFocusIn={() => keepToasts(true)} onFocusOut={() => keepToasts(false)}
    >
      {value.map((toast) => <ToastLine key={toast.id} toast={toast} />)}
    </div>
  )
  return dialog === undefined ? shown : <Within element={dialog}>{shown}</Within>
}

function ToastLine ({ toast: { id, text, kind, action } }: { toast: Toast }) {
  const pick = () => {
    action?.onPick()
    remove(id)
  }
  return (
    <div class={`toast toast-${kind}`}>
      <p>{text}</p>
      {action !== undefined && <Button kind='quiet' class='toast-action' onClick={pick}>{action.text}</Button>}
      <Button kind='quiet' icon={X} label={words.value.ui.dismiss} onClick={() => remove(id)} />
    </div>
  )
}
