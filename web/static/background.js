/* global sessionStorage, setTimeout */
import { get, post } from './api.js'
import { announce } from './dom.js'
import { renderMarkdown } from './markdown.js'
import { sideCard } from './side-cards.js'

const pollMs = 3_000
const storageKey = 'background-tasks'

/**
 * Tasks that run beside a conversation. The service tells each result once, so this window keeps what it was told, and
 * what it waits for, over a reload.
 * @param {object} options
 * @param {() => void} options.onClosed
 */
export function createBackground ({ onClosed }) {
  /** By task: `{ taskId, sessionId, streamId, prompt, answer, card }`; an answer that is null is still awaited. */
  const tasks = new Map()
  let isPolling = false

  for (const kept of JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')) add(kept)

  function keep () {
    sessionStorage.setItem(storageKey, JSON.stringify([...tasks.values()].map(({ card, ...task }) => task)))
  }

  function add (task) {
    const card = sideCard({ sessionId: task.sessionId, label: 'In the background', text: task.prompt, onClose: () => one.answer === null ? stop(one) : close(one) })
    const one = { ...task, card }
    tasks.set(one.taskId, one)
    draw(one)
    keep()
    return one
  }

  function draw ({ card, answer }) {
    card.say(answer === null ? 'running' : 'finished')
    card.setButton(answer === null ? 'Stop' : 'Close')
    card.element.classList.toggle('running', answer === null)
    card.body.hidden = answer === null
    if (answer !== null) renderMarkdown(card.body, answer)
  }

  function finish (one, answer) {
    one.answer = answer
    draw(one)
    keep()
    announce(`Background task finished: ${one.prompt}`)
  }

  function close ({ taskId, card }) {
    tasks.delete(taskId)
    card.remove()
    keep()
    onClosed()
  }

  async function stop (one) {
    one.card.say('stopping')
    await post('/api/chat/cancel', { stream_id: one.streamId }).catch(() => {})
    await fetchResults(one.sessionId)
  }

  const open = () => [...tasks.values()].filter(({ answer }) => answer === null)

  async function fetchResults (sessionId) {
    try {
      const { results } = await get('/api/background/status', { session_id: sessionId })
      for (const { task_id: taskId, prompt, answer } of results) finish(tasks.get(taskId) ?? add({ taskId, sessionId, streamId: null, prompt, answer: null }), answer)
    } catch (error) {
      if (error.status !== 404) return
      for (const one of open()) if (one.sessionId === sessionId) finish(one, 'The session does not exist any more.')
    }
  }

  /** A result that another window has fetched never comes here: its stream is over, and still there is nothing. */
  async function giveUp (one) {
    const { active } = await get('/api/chat/stream/status', { stream_id: one.streamId }).catch((error) => ({ active: error.status !== 404 }))
    if (active) return
    await fetchResults(one.sessionId)
    if (one.answer === null) finish(one, 'The result was shown in another window.')
  }

  async function poll () {
    if (isPolling) return
    isPolling = true
    while (open().length > 0) {
      await new Promise((resolve) => setTimeout(resolve, pollMs))
      for (const sessionId of new Set(open().map((one) => one.sessionId))) await fetchResults(sessionId)
      for (const one of open()) await giveUp(one)
    }
    isPolling = false
  }

  poll()

  return {
    /** Throws ApiError. */
    async start (sessionId, prompt) {
      const { task_id: taskId, stream_id: streamId } = await post('/api/background', { session_id: sessionId, prompt })
      add({ taskId, sessionId, streamId, prompt, answer: null })
      poll()
    },
    /** Fetches what has finished while nobody had the session open. */
    look (sessionId) { fetchResults(sessionId) }
  }
}
