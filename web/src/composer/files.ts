import { useSignal } from '@preact/signals'
import { filesOf } from '../core/composer/uploads.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true

/** Attaches files to the next message, and reports how many were too many. */
export async function takeFiles ({ attachments }: OpenChat, files: readonly File[]): Promise<void> {
  if (files.length === 0) return
  const { leftOut, error } = await attachments.add(files)
  if (leftOut > 0) toast(words.value.composer.leftOut(leftOut), { kind: 'bad', about: 'upload' })
  if (error !== null) toast(error.message, { kind: 'bad', about: 'upload' })
}

/** Returns the props of an element that accepts dropped files; null `opened`: none are accepted. */
export function useFileDrop (opened: OpenChat | null) {
  const isOver = useSignal(false)
  const isFor = (event: DragEvent): boolean => opened !== null && hasFiles(event) && !event.defaultPrevented
  return {
    'data-dropping': isOver.value || undefined,
    onDragEnter: (event: DragEvent) => { if (isFor(event)) isOver.value = true },
    onDragOver: (event: DragEvent) => {
      if (!isFor(event)) return
      event.preventDefault()
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy'
    },
    onDragLeave: (event: DragEvent) => {
      const { currentTarget, relatedTarget } = event
      if (currentTarget instanceof Node && !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) isOver.value = false
    },
    onDrop: (event: DragEvent) => {
      isOver.value = false
      if (opened === null || !isFor(event)) return
      event.preventDefault()
      void takeFiles(opened, filesOf(event.dataTransfer))
    }
  }
}

// A file dropped elsewhere would replace the page, and with it the typed text.
addEventListener('dragover', (event) => {
  if (!hasFiles(event) || event.defaultPrevented) return
  event.preventDefault()
  if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none'
})
addEventListener('drop', (event) => { if (hasFiles(event)) event.preventDefault() })
