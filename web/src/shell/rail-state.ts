import { signal } from '@preact/signals'
import { type Wire } from '../core/service/api.js'
import { type Anchor } from '../ui/Popover.js'

/** The properties of a chat that a list shows and acts on. */
export type ListedChat = Pick<
  Wire<'PageRow'>, 'session_id' | 'title' | 'project_id' | 'pinned' | 'archived' | 'read_only' | 'message_count'
>

export type RailMenu =
  | { of: 'chat', chat: ListedChat, anchor: Anchor }
  /** The projects that chats can be moved into. */
  | { of: 'move', ids: readonly string[], anchor: Anchor }
  | { of: 'project', project: Wire<'Project'>, anchor: Anchor }
  | { of: 'colour', project: Wire<'Project'>, anchor: Anchor }

/** The open menu of a row, or one that the menu of the open chat leads to. */
export const railMenu = signal<RailMenu | null>(null)

/** The row whose name is being edited in place; `new`: a project that does not exist yet, and gets these chats. */
export const renaming = signal<{ of: 'chat' | 'project', id: string } | { of: 'new', ids: readonly string[] } | null>(null)

/** The selected chats, for actions on all of them. */
export const chosen = signal<ReadonlySet<string>>(new Set())

/** The chat that is about to be shared. */
export const sharing = signal<ListedChat | null>(null)

/** The project whose folder and instructions are being edited. */
export const settingUp = signal<Wire<'Project'> | null>(null)

/** Chats that will be deleted once the offer to undo is gone. Lists leave them out. */
export const leaving = signal<ReadonlySet<string>>(new Set())

/** The chat at which a range selection with Shift starts. */
let anchorId: string | null = null

/** Selects or deselects a chat; with `order`, selects all chats from the last one to this one. */
export function choose (id: string, order: readonly string[] | null): void {
  const next = new Set(chosen.peek())
  const [from, to] = [anchorId === null ? -1 : order?.indexOf(anchorId) ?? -1, order?.indexOf(id) ?? -1]
  if (order !== null && from !== -1 && to !== -1) for (const one of order.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one)
  else {
    if (next.has(id)) next.delete(id)
    else next.add(id)
    anchorId = id
  }
  chosen.value = next
}

/** Sets where a range selection starts: at the chat that was opened. */
export function beginAt (id: string): void { anchorId = id }
