import { chosen } from './rail-state.js'

let dragged: readonly string[] | null = null

/** Begins to drag a chat, together with all other selected ones if it is selected. */
export function dragChats (id: string, { dataTransfer }: DragEvent): void {
  dragged = chosen.peek().has(id) ? [...chosen.peek()] : [id]
  if (dataTransfer !== null) dataTransfer.effectAllowed = 'copyMove'
}

export function endDrag (): void { dragged = null }

/** Returns the chats that are being dragged over something; null for anything else. */
export const draggedChats = ({ dataTransfer }: DragEvent): readonly string[] | null => dataTransfer === null ? null : dragged
