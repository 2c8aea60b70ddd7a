import { chosen } from './rail-state.js'

let dragged: readonly string[] | null = null

/** Begins to drag a chat, with all others that are selected if it is one of them. */
export function dragChats (id: string, { dataTransfer }: DragEvent): void {
  dragged = chosen.peek().has(id) ? [...chosen.peek()] : [id]
  if (dataTransfer !== null) dataTransfer.effectAllowed = 'copyMove'
}

export function endDrag (): void { dragged = null }

/** The chats that are being dragged over something; null for anything else. */
export const draggedChats = ({ dataTransfer }: DragEvent): readonly string[] | null => dataTransfer === null ? null : dragged
