import { type Conversation } from '../core/conversation/conversation.js'
import { drawnHeading, exchangeWith, type ReadingView } from '../core/conversation/outline.js'

export interface ReadingViewOptions {
  conversation: Conversation
  scroller: () => HTMLElement | null
  /** Loads earlier pages until a message is loaded. Throws ApiError. */
  readBackTo: (index: number) => Promise<void>
  leaveEnd: () => void
  /** Scrolls to one of the exchanges. */
  scrollTo: (place: number) => void
}

const headings = '.answer .markdown-h1, .answer .markdown-h2, .answer .markdown-h3'
/** Headings and messages that begin in this upper share of the view count as being read. */
const readShare = 0.3
const marginPx = 16
const nearPx = 24
/** How many rows before the target are loaded too, so that it is not at the edge of the loaded part. */
const rowsBefore = 20
/** In how many animation frames a list that measures as it draws has to reach its target. */
const mostPictures = 20

/** Finds the reading position in a transcript from what is drawn, and scrolls to other places. */
export function readingView ({ conversation, scroller, readBackTo, leaveEnd, scrollTo }: ReadingViewOptions): ReadingView {
  const elementOf = (key: string): HTMLElement | null => scroller()?.querySelector(`[data-exchange="${CSS.escape(key)}"]`) ?? null

  function where (): ReturnType<ReadingView['where']> {
    const view = scroller()
    if (view === null) return null
    // At the end, the last exchange counts as being read, even if it is short.
    const isAtEnd = view.scrollHeight - view.clientHeight - view.scrollTop < nearPx
    const lineY = view.getBoundingClientRect().top + view.clientHeight * (isAtEnd ? 1 : readShare)
    const isPassed = (element: Element): boolean => element.getBoundingClientRect().top <= lineY
    const read = [...view.querySelectorAll<HTMLElement>('[data-exchange]')].findLast(isPassed)
    const exchange = conversation.transcript.exchanges.peek().find(({ key }) => key === read?.dataset.exchange)
    const index = exchange?.turn.firstIndex ?? exchange?.turn.user?.index ?? null
    if (read === undefined || index === null) return null
    return { index, headings: [...read.querySelectorAll(headings)].filter(isPassed).map(({ textContent }) => textContent ?? '') }
  }

  /** Scrolls an element to the top of the view, even while the list above it is still being measured. */
  async function bring (element: HTMLElement): Promise<void> {
    let calm = 0
    for (let pictures = 0; pictures < mostPictures && calm < 3; pictures++) {
      const view = scroller()
      if (view === null) return
      const awayPx = element.getBoundingClientRect().top - view.getBoundingClientRect().top - marginPx
      // An element near the end cannot be scrolled to the top.
      const before = view.scrollTop
      if (Math.abs(awayPx) > 1) view.scrollTop += awayPx
      calm = Math.abs(view.scrollTop - before) > 1 ? 0 : calm + 1
      await nextPicture()
    }
  }

  return {
    where,
    async goTo (entry, entries, arriving) {
      const begin = entries.findLast(({ kind, index, source }) => kind === 'message' && source !== 'steer' && index <= entry.index)
      await readBackTo(Math.max(0, (begin?.index ?? entry.index) - rowsBefore))
      await nextPicture()
      const exchanges = conversation.transcript.exchanges.peek()
      const place = exchangeWith(exchanges, entry.index)
      const exchange = exchanges[place]
      if (exchange === undefined) return false
      leaveEnd()
      scrollTo(place)
      arriving()
      const element = await drawn(() => elementOf(exchange.key))
      if (element === null) return false
      const places = [...element.querySelectorAll<HTMLElement>(headings)]
      const heading = places[drawnHeading(places.map(({ textContent }) => textContent ?? ''), entry, entries)]
      if (heading !== undefined) await bring(heading)
      mark(heading ?? element)
      return true
    }
  }
}

/** Moves the focus to the element, so that keyboards and screen readers continue from there. */
function mark (element: HTMLElement): void {
  element.tabIndex = -1
  element.focus({ preventScroll: true })
  element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
}

async function drawn (find: () => HTMLElement | null): Promise<HTMLElement | null> {
  for (let pictures = 0; pictures < mostPictures; pictures++) {
    await nextPicture()
    const found = find()
    if (found !== null && pictures > 1) return found
  }
  return find()
}

const nextPicture = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve))
