import { type ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { type LayerEnd } from '../core/screen/layers.js'
import { words } from '../words/index.js'
import { Button } from './Button.js'
import { X } from './icons.js'
import { dialogOpened, keepModal } from './open-dialogs.js'
import { isPhone } from './screen.js'
import { useLayer } from './use-layer.js'
import { useSwipeDown } from './use-swipe-down.js'
import './dialog.css'

export interface DialogProps {
  open: boolean
  /** Called when it should close: by Back, Escape, the close button, a click beside it, or a swipe. The owner then sets `open` to false. */
  onClose: (end: LayerEnd | 'button' | 'beside' | 'swipe') => void
  title: string
  /** A line below the title. */
  note?: ComponentChildren
  /** `full` fills the window on phones instead of being a sheet. */
  size?: 'small' | 'normal' | 'wide' | 'full'
  /** Where it comes from: the middle (on phones a sheet), or a side, such as the drawer. */
  from?: 'middle' | 'start' | 'end'
  /** Whether the title is for screen readers only and there is no close button. */
  bare?: boolean
  /** The buttons at the bottom; they stay while the rest scrolls. */
  actions?: ComponentChildren
  /** Whether a click beside it does nothing, for dialogs in which something could be lost. */
  keep?: boolean
  class?: string
  children?: ComponentChildren
}

/**
 * A modal dialog; on phones a sheet. The element with `autofocus` gets the focus, else the dialog itself; when it closes, the focus returns
 * to its previous place.
 */
export function Dialog (props: DialogProps) {
  return props.open ? <OpenDialog {...props} /> : null
}

function OpenDialog ({
  onClose, title, note, size = 'normal', from = 'middle', bare = false, actions, keep = false, class: className,
  children
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const focused = useRef<HTMLElement | null>(null)
  const titleId = useId()
  const sheet = isPhone.value && from === 'middle' && size !== 'full'
  useLayer(onClose)
  useSwipeDown(dialog, sheet, () => onClose('swipe'))
  useLayoutEffect(() => {
    const element = dialog.current
    if (element === null) return
    const before = document.activeElement
    element.showModal()
    const closed = dialogOpened(element)
    if (element.querySelector('[autofocus]') === null) element.focus()
    return () => {
      closed()
      element.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  // Its row may have moved with this drawing.
  useLayoutEffect(() => {
    const { current: before } = focused
    if (keepModal()) before?.focus({ preventScroll: true })
  })
  const classes = ['dialog', `dialog-${size}`, `dialog-from-${from}`, sheet && 'dialog-sheet', className]
  return (
    <dialog
      ref={dialog} class={classes.filter(Boolean).join(' ')} aria-labelledby={titleId} tabIndex={-1}
      // Other ways to close it, such as Android's back gesture, are handled like all others.
      onCancel={(event) => { event.preventDefault(); if (event.target === event.currentTarget) onClose('escape') }}
      onFocusIn={({ target }) => { focused.current = target instanceof HTMLElement ? target : null }}
      onPointerDown={(event) => { if (!keep && event.target === event.currentTarget && isBeside(event)) onClose('beside') }}
    >
      {sheet && <div class='dialog-grip' data-grip aria-hidden />}
      <header class={bare ? 'visually-hidden' : 'dialog-head'} data-grip>
        <div class='dialog-titles'>
          <h2 id={titleId}>{title}</h2>
          {note !== undefined && <p class='dialog-note'>{note}</p>}
        </div>
        {!bare && <Button kind='quiet' icon={X} label={words.value.common.close} onClick={() => onClose('button')} />}
      </header>
      <div class='dialog-body'>{children}</div>
      {actions !== undefined && <footer class='dialog-actions'>{actions}</footer>}
    </dialog>
  )
}

/** Whether an event on the dialog element is on its backdrop and not on its padding. */
function isBeside ({ clientX, clientY, currentTarget }: { clientX: number, clientY: number, currentTarget: HTMLElement }): boolean {
  const box = currentTarget.getBoundingClientRect()
  return clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom
}
