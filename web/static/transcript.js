/* global requestAnimationFrame, ResizeObserver */
import { byId } from './dom.js'
import { renderMessages } from './rows.js'

const nearEndPx = 80

/** The scrolling part of the page: settled rows, then the running turn. */
export function createTranscript () {
  const scroller = byId('scroller')
  const settled = byId('settled')
  const running = byId('running')
  const earlier = byId('earlier')
  const toEnd = byId('to-end')
  let isAtEnd = true

  scroller.addEventListener('scroll', () => {
    isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < nearEndPx
    toEnd.hidden = isAtEnd
  }, { passive: true })
  toEnd.addEventListener('click', goToEnd)

  function goToEnd () {
    isAtEnd = true
    toEnd.hidden = true
    scroller.scrollTop = scroller.scrollHeight
  }

  /** New content keeps the end in view for those who are there, and leaves those alone who read further up. */
  function follow () {
    if (isAtEnd) scroller.scrollTop = scroller.scrollHeight
    else toEnd.hidden = false
  }
  let isFollowPending = false
  const grown = () => {
    if (isFollowPending) return
    isFollowPending = true
    requestAnimationFrame(() => {
      isFollowPending = false
      follow()
    })
  }

  // What stands over the box takes its room from here.
  new ResizeObserver(grown).observe(scroller)

  return {
    goToEnd,
    grown,
    /**
     * Replaces everything; what was unfolded stays unfolded when the shape is the same.
     * @param {{ messages: object[], summary: object | null, hasEarlier: boolean, sessionId: string }} content
     */
    show ({ messages, summary, hasEarlier, sessionId }) {
      const before = [...scroller.querySelectorAll('.rows details')].map((details) => details.open)
      settled.replaceChildren(...renderMessages(messages, summary, sessionId))
      running.replaceChildren()
      const after = [...settled.querySelectorAll('details')]
      if (before.length === after.length) after.forEach((details, index) => { details.open = before[index] })
      earlier.hidden = !hasEarlier
      follow()
    },
    /** Puts older rows before the others without moving what is being read. */
    prepend ({ messages, summary, hasEarlier, sessionId }) {
      const fromEnd = scroller.scrollHeight - scroller.scrollTop
      settled.prepend(...renderMessages(messages, summary, sessionId))
      earlier.hidden = !hasEarlier
      scroller.scrollTop = scroller.scrollHeight - fromEnd
    },
    /** Adds one row below the settled ones. */
    append (row) {
      settled.append(row)
      follow()
    },
    /** @param {HTMLElement} element the running turn */
    run (element) {
      running.replaceChildren(element)
      follow()
    },
    clear () {
      settled.replaceChildren()
      running.replaceChildren()
      earlier.hidden = true
      isAtEnd = true
      toEnd.hidden = true
    }
  }
}
