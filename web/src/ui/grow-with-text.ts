/** Makes a text area as high as its text, between two numbers of rows. */
export function growWithText (area: HTMLTextAreaElement, rows: number, mostRows: number): void {
  const growsItself = CSS.supports('field-sizing', 'content')
  if (growsItself) Object.assign(area.style, { fieldSizing: 'content' })
  // It has its height already, and reading its style would have the whole page laid out before it is first painted.
  if (growsItself && rows === 1 && area.value === '') return
  const style = getComputedStyle(area)
  const frame = parseFloat(style.paddingBlockStart) + parseFloat(style.paddingBlockEnd)
  const line = parseFloat(style.lineHeight)
  if (growsItself) {
    Object.assign(area.style, { minBlockSize: `${line * rows + frame}px`, maxBlockSize: `${line * mostRows + frame}px` })
    return
  }
  area.style.blockSize = 'auto'
  area.style.blockSize = `${Math.max(line * rows, Math.min(area.scrollHeight - frame, line * mostRows)) + frame}px`
}
