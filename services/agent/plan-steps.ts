import { headingText } from '../ground/text/heading.js'

/** How many characters a plan has at most: a person reads it, and the model gets all of it. */
export const mostPlanChars = 40_000
const mostSteps = 100
const mostStepChars = 400

export interface PlanStep { content: string, status: 'pending' | 'completed' }

const item = /^([ \t]*)(?:[-*+]|\d{1,4}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(\S.*)$/
const fence = /^[ \t]{0,3}(```|~~~)/

interface Item { indent: number, isTask: boolean, isNumbered: boolean, isDone: boolean, content: string }

/**
 * Returns the steps of a plan in Markdown, at most 100: its task list (`- [ ] …`), or else its longest numbered list. Only the outermost
 * items are steps, and nothing in a code block.
 */
export function planSteps (markdown: string): PlanStep[] {
  const items = itemsOf(markdown)
  const tasks = items.flat().filter(({ isTask }) => isTask)
  const numbered = items.map((list) => outer(list.filter(({ isNumbered }) => isNumbered)))
    .reduce<Item[]>((longest, list) => list.length > longest.length ? list : longest, [])
  return (tasks.length > 0 ? outer(tasks) : numbered).slice(0, mostSteps).map(({ content, isDone }) => ({
    content: content.slice(0, mostStepChars), status: isDone ? 'completed' : 'pending'
  }))
}

/** Returns the title of a plan: its first heading, or else its first line. */
export function planTitle (markdown: string): string {
  const line = /^[ \t]{0,3}#{1,6}[ \t]+(\S.*)$/m.exec(markdown)?.[1] ?? /\S.*/.exec(markdown)?.[0] ?? ''
  return headingText(line).slice(0, 120)
}

const outer = (list: readonly Item[]): Item[] => {
  const least = Math.min(...list.map(({ indent }) => indent))
  return list.filter(({ indent }) => indent <= least + 1)
}

/** Returns the items of each list; a heading ends a list. */
function itemsOf (markdown: string): Item[][] {
  const lists: Item[][] = [[]]
  let open: string | null = null
  for (const line of markdown.split(/\r?\n|\r/)) {
    const mark = fence.exec(line)?.[1]
    if (mark !== undefined && (open === null || open === mark)) {
      open = open === null ? mark : null
      continue
    }
    if (open !== null) continue
    if (/^[ \t]{0,3}#/.test(line)) lists.push([])
    const [, indent = '', box, content = ''] = item.exec(line) ?? []
    if (content === '') continue
    lists.at(-1)?.push({
      indent: indent.replaceAll('\t', '    ').length, isTask: box !== undefined, isNumbered: /^[ \t]*\d/.test(line),
      isDone: box === 'x' || box === 'X', content: content.trim()
    })
  }
  return lists
}
