import { type ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { Button } from '../ui/Button.js'
import { Menu, Plus } from '../ui/icons.js'
import { isPhone } from '../ui/screen.js'
import { words } from '../words/index.js'
import { drawer } from './drawer.js'
import { WaitingButton } from './WaitingButton.js'

/**
 * The header of every screen: its title, the waiting prompts, and on a phone the button for the list of chats. `end`: the content at its
 * end.
 */
export function PageHeader ({ title, end, children }: { title: ComponentChildren, end?: ComponentChildren, children?: ComponentChildren }) {
  useLayoutEffect(takeFocus, [])
  return (
    <header class='page-header'>
      {isPhone.value
        ? <Button kind='quiet' size='large' icon={Menu} label={words.value.shell.openRail} onClick={() => { drawer.value = true }} />
        : null}
      <h1 class='page-title' tabIndex={-1}>{title}</h1>
      {children}
      <WaitingButton />
      {end}
    </header>
  )
}

/** A screen other than a chat: its title, its actions, and its content in one column. */
export function Page ({ title, actions, wide = false, children }: {
  title: string
  actions?: ComponentChildren
  wide?: boolean
  children?: ComponentChildren
}) {
  return (
    <>
      <PageHeader title={title}>{actions === undefined ? null : <div class='page-actions'>{actions}</div>}</PageHeader>
      <main class='page'><div class={wide ? 'page-column page-wide' : 'page-column'}>{children}</div></main>
    </>
  )
}

/** The button of a header that creates something; on a phone only its icon, so that the title has room. */
export const CreateButton = ({ text, onClick }: { text: string, onClick: () => void }) =>
  <Button icon={Plus} {...isPhone.value ? { label: text } : { children: text }} onClick={onClick} />

/** Whether the focused title belonged to a screen that was replaced, such as the placeholder of the screen that follows. */
let wasHeld = false

/**
 * Moves the focus to the title if the screen was opened by keyboard from the list of chats; an element that was clicked with a mouse keeps
 * the focus.
 */
function takeFocus (): () => void {
  const { activeElement: before, body } = document
  if (before?.matches('.rail :focus-visible') === true || (wasHeld && before === body)) document.querySelector<HTMLElement>('.page-title')?.focus()
  wasHeld = false
  return () => { wasHeld = document.activeElement?.matches('.page-title') === true }
}
