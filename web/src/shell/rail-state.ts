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

/** The open menu of a row, or of what the menu of the open chat leads to. */
export const railMenu = signal<RailMenu | null>(null)

/** The row whose name is being written in its place; `new`: a project that does not exist yet, and takes these chats. */
export const renaming = signal<{ of: 'chat' | 'project', id: string } | { of: 'new', ids: readonly string[] } | null>(null)

/** The chats that are selected, to do something with all of them. */
export const chosen = signal<ReadonlySet<string>>(new Set())

/** The chat that is about to be shared. */
export const sharing = signal<ListedChat | null>(null)

/** Chats that are deleted as soon as nobody can take it back any more. Lists leave them out. */
export const leaving = signal<ReadonlySet<string>>(new Set())

/** The chat from which a selection reaches to the next one that is chosen with Shift. */
let anchorId: string | null = null

/** Selects a chat or takes it out of the selection; with `order`, all from the last one up to it. */
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

/** A chat that is opened is where a selection may begin. */
export function beginAt (id: string): void { anchorId = id }
