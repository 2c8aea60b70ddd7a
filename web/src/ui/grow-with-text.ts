/** Makes a text area as high as its text, between two numbers of rows. */
export function growWithText (area: HTMLTextAreaElement, rows: number, mostRows: number): void {
  const style = getComputedStyle(area)
  const frame = parseFloat(style.paddingBlockStart) + parseFloat(style.paddingBlockEnd)
  const line = parseFloat(style.lineHeight)
  // Browsers with `field-sizing` do this themselves, without extra layout.
  if (CSS.supports('field-sizing', 'content')) {
    Object.assign(area.style, {
      fieldSizing: 'content', minBlockSize: `${line * rows + frame}px`, maxBlockSize: `${line * mostRows + frame}px`
    })
    return
  }
  area.style.blockSize = 'auto'
  area.style.blockSize = `${Math.max(line * rows, Math.min(area.scrollHeight - frame, line * mostRows)) + frame}px`
}
