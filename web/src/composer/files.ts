/** The files of a paste, such as a screenshot; none where text comes along. */
export function pastedFiles ({ clipboardData }: ClipboardEvent): File[] {
  if (clipboardData === null || clipboardData.types.includes('text/plain')) return []
  return [...clipboardData.files]
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true

/** What an element needs to take files that are dropped on it. */
export function dropsFiles (take: (files: readonly File[]) => void, over: (isOver: boolean) => void) {
  return {
    onDragEnter: (event: DragEvent) => { if (hasFiles(event)) over(true) },
    onDragOver: (event: DragEvent) => { if (hasFiles(event)) event.preventDefault() },
    onDragLeave: (event: DragEvent) => {
      const { currentTarget, relatedTarget } = event
      if (currentTarget instanceof Node && !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) over(false)
    },
    onDrop: (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      over(false)
      take([...event.dataTransfer!.files])
    }
  }
}
