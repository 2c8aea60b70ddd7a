/** A part of a Markdown text that can be rendered on its own: the code of an unindented fence, or other text. */
export type Slice = { kind: 'text', text: string } | { kind: 'code', text: string, info: string }

const sliceChars = 8_192
const longestSliceChars = 16_384

/**
 * Splits a long text where Markdown allows it, so that no part takes long to render: before and after unindented fences, and before
 * paragraphs and headings that cannot belong to a list or a quotation. Without such a place, a part ends at the end of a line; a line that
 * is too long is split anywhere. A short text stays whole.
 */
export function slices (text: string): Slice[] {
  if (text.length <= sliceChars) return [{ kind: 'text', text }]
  const found: Slice[] = []
  let lines: string[] = []
  let chars = 0
  const cut = () => {
    if (lines.length > 0) found.push({ kind: 'text', text: lines.join('\n') })
    lines = []
    chars = 0
  }
  let fence: Fence | null = null
  for (const line of linesOf(text)) {
    if (fence === null) {
      fence = opened(line)
      if (fence === null ? isCutBefore(line, lines.at(-1), chars) : !fence.isInner) cut()
      if (fence !== null && !fence.isInner) continue
    } else if (isEndOf(fence, line)) {
      if (!fence.isInner) found.push(codeOf(fence))
      const { isInner } = fence
      fence = null
      if (!isInner) continue
    } else if (!fence.isInner) {
      fence.lines.push(line)
      continue
    } else if (chars + line.length > longestSliceChars) {
      cut()
    }
    lines.push(line)
    chars += line.length + 1
  }
  cut()
  if (fence !== null && !fence.isInner) found.push(codeOf(fence))
  return found
}

/** `isInner`: whether the fence is indented, perhaps inside a list, and stays with the text around it. */
interface Fence { isInner: boolean, marks: string, info: string, lines: string[] }

function opened (line: string): Fence | null {
  const opening = /^(\s*)(?:(`{3,})([^`]*)|(~{3,})(?!~)(.*))$/.exec(line)
  if (opening === null) return null
  const [, indent = '', ticks, ticksInfo, tildes, tildesInfo] = opening
  return { isInner: indent !== '', marks: ticks ?? tildes ?? '', info: ticksInfo ?? tildesInfo ?? '', lines: [] }
}

function isEndOf ({ marks }: Fence, line: string): boolean {
  const text = line.trim()
  return text.startsWith(marks) && text === marks.charAt(0).repeat(text.length)
}

function isCutBefore (line: string, before: string | undefined, chars: number): boolean {
  if (chars + line.length > longestSliceChars) return true
  return chars >= sliceChars && before?.trim() === '' && /^(?:#|[^\s\d*+>|=`~-])/.test(line)
}

function codeOf ({ info, lines }: Fence): Slice {
  return { kind: 'code', text: `${lines.join('\n')}\n`, info }
}

function * linesOf (text: string): Generator<string> {
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line.length <= longestSliceChars) yield line
    else for (let start = 0; start < line.length; start += longestSliceChars) yield line.slice(start, start + longestSliceChars)
  }
}
