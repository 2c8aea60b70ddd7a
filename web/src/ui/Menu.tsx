import { type ComponentChildren, type RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, type ButtonProps } from './Button.js'
import { Dialog } from './Dialog.js'
import { Icon } from './Icon.js'
import { Check } from './icons.js'
import { type LucideIcon } from './lucide.js'
import { isItem, isKeyOf, nextItem, typedItem, type MenuEntry, type MenuItem } from './menu-items.js'
import { Popover, type Anchor } from './Popover.js'
import { isPhone } from './screen.js'
import './menu.css'

export { type MenuEntry } from './menu-items.js'

export interface MenuProps extends Pick<ButtonProps, 'kind' | 'size' | 'icon' | 'disabled' | 'busy' | 'class'> {
  /** Its name, its title on phones, and the name of a button that shows only an icon. */
  label: string
  /** A function is called when the menu opens. */
  items: readonly MenuEntry[] | (() => readonly MenuEntry[])
  align?: 'start' | 'end'
  startsOpen?: boolean
  /** An icon after the button's text, such as a small arrow. */
  after?: LucideIcon
  /** The button's content beside the icon. */
  children?: ComponentChildren
}

/** A button that opens a menu. */
export function Menu ({ label, items, align = 'end', startsOpen = false, children, after, kind = 'quiet', ...button }: MenuProps) {
  const [open, setOpen] = useState(startsOpen)
  const opener = useRef<HTMLButtonElement>(null)
  return (
    <>
      <Button
        {...button} kind={kind} buttonRef={opener} label={children === undefined ? label : undefined}
        aria-haspopup='menu' aria-expanded={open}
        onClick={() => setOpen((was) => !was)}
        onKeyDown={(event) => { if (event.key === 'ArrowDown' && !open) { event.preventDefault(); setOpen(true) } }}
      >
        {children !== undefined && <>{children}{after !== undefined && <Icon of={after} size={14} />}</>}
      </Button>
      <PopupMenu open={open} anchor={opener} label={label} items={items} align={align} onClose={() => setOpen(false)} />
    </>
  )
}

export interface PopupMenuProps extends Pick<MenuProps, 'label' | 'items' | 'align'> {
  open: boolean
  /** The element that it opens beside, or a point of the window, such as of a right click or a long press. */
  anchor: Anchor
  onClose: () => void
}

/** A menu without a button: beside its anchor, on phones a sheet. */
export function PopupMenu ({ open, ...rest }: PopupMenuProps) {
  if (!open) return null
  return isPhone.value ? <SheetMenu {...rest} /> : <FloatingMenu {...rest} />
}

type OpenMenuProps = Omit<PopupMenuProps, 'open'>

function SheetMenu ({ label, items, anchor, onClose }: OpenMenuProps) {
  return (
    <Dialog open title={label} onClose={onClose} class='menu-sheet'>
      <MenuList label={label} items={items} anchor={anchor} onClose={onClose} />
    </Dialog>
  )
}

function FloatingMenu ({ label, items, anchor, align = 'end', onClose }: OpenMenuProps) {
  return (
    <Popover anchor={anchor} align={align} onClose={onClose}>
      <MenuList label={label} items={items} anchor={anchor} onClose={onClose} />
    </Popover>
  )
}

const typingPauseMs = 700

function MenuList ({ label, items, anchor, onClose }: Omit<OpenMenuProps, 'align'>) {
  const list = useRef<HTMLDivElement>(null)
  const typed = useRef({ text: '', at: 0 })
  const [entries] = useState(() => typeof items === 'function' ? items() : items)
  const picks = entries.filter(isItem)
  const focus = (at: number | null) => { if (at !== null) itemsOf(list.current)[at]?.focus() }
  useFocusWithin(list)
  const pick = (item: MenuItem) => {
    if (item.disabled === true) return
    // Focus returns to the opener before the picked item may move it.
    onClose()
    queueMicrotask(() => item.onPick(anchor))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const focused = itemsOf(list.current).findIndex((item) => item === document.activeElement)
    const next = nextItem(event.key, focused, picks)
    if (next !== null) {
      event.preventDefault()
      return focus(next)
    }
    if (event.key === 'Tab') {
      event.preventDefault()
      return onClose()
    }
    const meant = event.ctrlKey || event.metaKey || event.altKey ? undefined : picks.find((item) => isKeyOf(item, event.key))
    if (meant !== undefined) {
      event.preventDefault()
      return pick(meant)
    }
    if (event.key.length !== 1 || event.key === ' ' || event.ctrlKey || event.metaKey || event.altKey) return
    const { text, at } = typed.current
    typed.current = { text: event.timeStamp - at < typingPauseMs ? text + event.key : event.key, at: event.timeStamp }
    focus(typedItem(typed.current.text, focused, picks))
  }
  const marked = picks.some(({ checked, icon }) => checked !== undefined || icon !== undefined)
  return (
    <div ref={list} role='menu' aria-label={label} class='menu-list' onKeyDown={onKeyDown}>
      {entries.map((entry, at) => isItem(entry)
        ? <MenuRow key={at} item={entry} marked={marked} onPick={() => pick(entry)} />
        : entry === 'line'
          ? <div key={at} role='separator' class='menu-line' />
          : <div key={at} role='presentation' class='menu-heading'>{entry.heading}</div>)}
    </div>
  )
}

function MenuRow ({ item, marked, onPick }: { item: MenuItem, marked: boolean, onPick: () => void }) {
  const { text, note, icon, swatch, keys, checked, danger, disabled } = item
  const mark = checked === true ? Check : icon
  return (
    <button
      type='button' role={checked === undefined ? 'menuitem' : 'menuitemcheckbox'} aria-checked={checked}
      aria-disabled={disabled} tabIndex={-1} class={danger === true ? 'menu-item menu-item-danger' : 'menu-item'}
      onClick={onPick}
      onPointerMove={(event) => { if (event.pointerType === 'mouse') event.currentTarget.focus({ preventScroll: true }) }}
    >
      {marked && (
        <span class={checked === true ? 'menu-mark menu-tick' : 'menu-mark'}>{mark !== undefined && <Icon of={mark} size={16} />}</span>
      )}
      {swatch !== undefined && <span class='menu-swatch' style={{ backgroundColor: swatch }} aria-hidden />}
      <span class='menu-text'>{text}{note !== undefined && <span class='menu-note'>{note}</span>}</span>
      {keys !== undefined && (keys === '›' ? <span class='menu-keys'>›</span> : <kbd class='menu-keys'>{keys}</kbd>)}
    </button>
  )
}

const itemsOf = (list: HTMLElement | null): HTMLElement[] => [...list?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []]

/** Focuses the checked item, or the first one, and returns the focus at the end. */
function useFocusWithin (list: RefObject<HTMLElement>): void {
  useEffect(() => {
    const before = document.activeElement
    const items = itemsOf(list.current)
    const first = items.find((item) => item.ariaChecked === 'true') ?? items.find((item) => item.ariaDisabled !== 'true')
    first?.focus({ preventScroll: false })
    return () => { if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true }) }
  }, [])
}
