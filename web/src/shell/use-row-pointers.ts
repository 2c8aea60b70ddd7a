import { useEffect, useRef } from 'preact/hooks'
import { sessions } from '../app.js'
import { type Anchor } from '../ui/Popover.js'
import { dragChats, endDrag } from './dragging.js'
import { projects } from './projects.js'
import { beginAt, choose, chosen, railMenu } from './rail-state.js'
import { groupsNow } from './shown-groups.js'

const longPressMs = 500
/** A finger that moves further than this is scrolling. */
const slackPx = 10

const entryOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-chat], [data-project]') : null

const orderNow = (): string[] => groupsNow().flatMap(({ families }) =>
  families.flatMap(({ row, branches }) => [row, ...branches].map(({ session_id: id }) => id)))

/**
 * Pointer actions on rows other than a click: a right click and a long press open the menu, Shift and Ctrl select, and a chat can be
 * dragged. Returns the handlers for the element around the rows.
 */
export function useRowPointers () {
  const press = useRef<{ timer: ReturnType<typeof setTimeout>, x: number, y: number } | null>(null)
  /** Whether a long press has just ended, whose click must not open the row. */
  const isPressed = useRef(false)
  const endPress = (): void => {
    if (press.current !== null) clearTimeout(press.current.timer)
    press.current = null
  }
  useEffect(() => endPress, [])
  return {
    onContextMenu: (event: MouseEvent) => {
      const entry = entryOf(event.target)
      if (entry === null) return
      endPress()
      isPressed.current = event instanceof PointerEvent && event.pointerType === 'touch'
      // An event from a key has no position in the window.
      const isByKey = event.clientX === 0 && event.clientY === 0
      if (openMenu(entry, isByKey ? { current: entry } : { x: event.clientX, y: event.clientY })) event.preventDefault()
    },
    onPointerDown: (event: PointerEvent) => {
      isPressed.current = false
      const entry = entryOf(event.target)
      if (entry === null || event.pointerType !== 'touch') return
      const { clientX: x, clientY: y } = event
      const timer = setTimeout(() => { isPressed.current = openMenu(entry, { x, y }) }, longPressMs)
      press.current = { timer, x, y }
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const { current } = press
      if (current !== null && Math.hypot(clientX - current.x, clientY - current.y) > slackPx) endPress()
    },
    onPointerUp: endPress,
    onPointerCancel: endPress,
    onClickCapture: (event: MouseEvent) => {
      const id = entryOf(event.target)?.dataset.chat
      const isRow = event.target instanceof Element && event.target.closest('a') !== null
      if (id === undefined || !isRow) return
      if (isPressed.current) {
        isPressed.current = false
        event.preventDefault()
      } else if (event.shiftKey || event.ctrlKey || event.metaKey || chosen.peek().size > 0) {
        event.preventDefault()
        choose(id, event.shiftKey ? orderNow() : null)
      } else beginAt(id)
    },
    onDragStart: (event: DragEvent) => {
      const id = entryOf(event.target)?.dataset.chat
      if (id !== undefined) dragChats(id, event)
    },
    onDragEnd: endDrag
  }
}

function openMenu (entry: HTMLElement, anchor: Anchor): boolean {
  const { chat: chatId, project: projectId } = entry.dataset
  const chat = chatId === undefined ? undefined : sessions.row(chatId)
  const project = projects.peek().find(({ project_id: id }) => id === projectId)
  if (chat !== undefined) railMenu.value = { of: 'chat', chat, anchor }
  else if (project !== undefined) railMenu.value = { of: 'project', project, anchor }
  else return false
  return true
}
