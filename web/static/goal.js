import { post } from './api.js'
import { announce, byId, el } from './dom.js'

const words = { evaluating: 'Checking', continuing: 'Going on', active: 'Goal', paused: 'Paused', done: 'Reached' }

/**
 * The line over the box that says how the goal of the open session stands. The service goes on with a goal by itself;
 * the page only shows it.
 * @param {object} options
 * @param {(text: string) => void} options.onNote
 * @param {(text: string) => void} options.onInformed
 * @param {() => void} options.onGone the button that was pressed is gone, and the focus with it
 */
export function createGoal ({ onNote, onInformed, onGone }) {
  const line = byId('goal')
  const [state, text, turns, buttons] = line.children
  let sessionId = null
  let goal = null
  /** Raised by whatever tells how the goal stands, so that an older answer is dropped. */
  let news = 0

  function draw (next, phase = null) {
    news++
    const isNews = goal !== null && next !== null && next.status !== goal.status
    goal = next
    line.hidden = next === null
    if (next === null) return
    const look = next.status === 'active' ? phase ?? 'active' : next.status
    state.className = `state ${look}`
    state.textContent = words[look] ?? look
    const reason = next.status === 'paused' ? next.paused_reason : next.last_reason
    text.textContent = next.status === 'paused' && reason !== null ? `${reason} – ${next.goal}` : next.goal
    text.title = text.textContent
    turns.textContent = `${next.turns_used} of ${next.max_turns} turns`
    drawButtons(next.status)
    if (isNews) announce(`Goal: ${words[look] ?? look}${reason === null ? '' : `, ${reason}`}`)
  }

  function drawButtons (status) {
    const wanted = [...(status === 'active' ? ['Pause'] : status === 'paused' ? ['Resume'] : []), 'Clear']
    if ([...buttons.children].map((button) => button.textContent).join() === wanted.join()) return
    const hadFocus = buttons.matches(':focus-within')
    buttons.replaceChildren(...wanted.map((label) => el('button', { type: 'button', class: 'quiet', onclick: () => act(label.toLowerCase()) }, label)))
    if (hadFocus) buttons.firstElementChild.focus()
  }

  /** @param {'pause' | 'resume' | 'clear' | 'status'} args */
  async function act (args) {
    const mine = sessionId
    const hadFocus = buttons.matches(':focus-within')
    try {
      const answer = await post('/api/goal', { session_id: mine, args })
      if (mine === sessionId) draw(answer.goal)
      onInformed(answer.message)
    } catch (error) {
      onNote(error.message)
    }
    if (hadFocus && line.hidden) onGone()
  }

  async function refresh () {
    const [mine, then] = [sessionId, news]
    const answer = await post('/api/goal', { session_id: mine, args: 'status' }).catch(() => null)
    if (answer !== null && mine === sessionId && then === news) draw(answer.goal)
  }

  return {
    act,
    /** How it stands, from whoever knows. */
    tell: draw,
    /** Takes a `goal` frame of the session's stream. */
    hear (payload) {
      if (payload.session_id === sessionId) draw(payload.goal?.status === 'cleared' ? null : payload.goal, payload.state)
    },
    /** @param {string | null} id the session whose goal is shown from now on */
    show (id) {
      if (id === sessionId) return
      sessionId = id
      draw(null)
      if (id !== null) refresh()
    },
    /** Something may have happened meanwhile. */
    refresh () {
      if (sessionId !== null) refresh()
    },
    isActive: () => goal?.status === 'active',
    exists: () => goal !== null
  }
}
