import { get, post } from './api.js'
import { announce } from './dom.js'
import { createLiveTurn, notesAfterCalls } from './live-turn.js'
import { errorRow, summaryOf, textOf, userRow } from './rows.js'
import { followTurn } from './stream.js'

const pageRows = 50
const largestPage = 500
const waitingWords = 'Waiting for you'

const steerRefusals = {
  no_cached_agent: 'The turn is still starting – try again in a moment.',
  agent_lacks_steer: 'This agent takes no additions while it works – wait for the end of the turn, or stop it.',
  not_running: 'The turn has just ended – send it as a message of its own.',
  stream_dead: 'The turn is just ending – send it as a message of its own in a moment.',
  steer_error: 'The agent could not be told – try again.'
}

/**
 * One session on the page: its transcript, its running turn, and what the person does to it.
 * @param {object} options
 * @param {ReturnType<import('./transcript.js').createTranscript>} options.transcript
 * @param {{ setMode: Function, giveBack: Function, tell: Function }} options.composer
 * @param {(state: object | null) => void} options.onTodos
 * @param {(session: { session_id: string, title: string } | null) => void} options.onSession which session is open, and its title
 * @param {(isRunning: boolean) => void} options.onRunning
 * @param {(payload: object) => void} options.onGoal a frame that says how the session's goal stands
 * @param {() => void} options.onWork a tool of the running turn has done something
 * @param {() => object} options.newSessionBody what a new session is made with
 */
export function createConversation ({ transcript, composer, onTodos, onSession, onRunning, onGoal, onWork, newSessionBody }) {
  /** The open session as last fetched, without its messages. */
  let session = null
  /** Position of the first row that is shown. */
  let offset = 0
  /** The turn that is followed: `{ streamId, view, follower, position, hasSettled }`. */
  let live = null
  /** Streams whose end was seen here; a list that was fetched before must not bring them back. */
  const ended = new Set()
  /** Raised whenever another session is opened, so that late answers to the old one are dropped. */
  let visit = 0
  let isStarting = false
  let isWaiting = false
  /** The session that is just being made. */
  let creating = null

  function setSession (detail) {
    const { messages, tool_calls: calls, ...rest } = detail
    session = rest
    creating = null
    onTodos(rest.todo_state)
    onSession(rest)
  }

  function leave () {
    clear()
    onTodos(null)
    onSession(null)
  }

  function clear () {
    visit++
    dropLive()
    session = null
    creating = null
    offset = 0
    transcript.clear()
  }

  function dropLive () {
    live?.follower?.close()
    live = null
    composer.setMode('idle')
    onRunning(false)
  }

  /** Opens a session, or an empty page for a new one. Throws ApiError. */
  async function open (sessionId) {
    if (sessionId === null) return leave()
    clear()
    await load(sessionId)
  }

  async function load (sessionId) {
    const mine = visit
    let detail = await fetchPage(sessionId)
    const streamId = ended.has(detail.active_stream_id) ? null : detail.active_stream_id
    let messages = detail.messages
    let cut = messages.length
    if (streamId !== null) {
      // The stream draws the running turn from its start, so its stored rows are left out, however many there are.
      const startOfTurn = () => messages.findIndex((message) => message._active_turn_user === true) + 1
      while (startOfTurn() === 0 && detail._messages_offset > 0) {
        detail = await fetchPage(sessionId, { msg_before: detail._messages_offset, msg_limit: largestPage })
        messages = [...detail.messages, ...messages]
      }
      cut = startOfTurn()
    }
    if (mine !== visit) return
    dropLive()
    offset = detail._messages_offset
    setSession(detail)
    transcript.show({ messages: messages.slice(0, cut), summary: summaryOf(detail), hasEarlier: offset > 0, sessionId: session.session_id })
    if (streamId !== null) attach(streamId, notesAfterCalls(messages.slice(cut)))
  }

  async function fetchPage (sessionId, query = {}) {
    return (await get('/api/session', { session_id: sessionId, messages: 1, msg_limit: pageRows, ...query })).session
  }

  async function showEarlier () {
    const mine = visit
    const page = await fetchPage(session.session_id, { msg_before: offset })
    if (mine !== visit) return
    offset = page._messages_offset
    transcript.prepend({ messages: page.messages, summary: summaryOf(page), hasEarlier: offset > 0, sessionId: session.session_id })
  }

  function attach (streamId, notes) {
    const view = createLiveTurn(notes)
    live = { streamId, view, follower: null, position: 0, hasSettled: false }
    transcript.run(view.element)
    composer.setMode('running')
    onRunning(true)
    follow()
  }

  function follow () {
    const turn = live
    if (turn === null || turn.follower !== null) return
    turn.follower = followTurn({
      streamId: turn.streamId,
      afterSeq: turn.position,
      onFrame: (event, payload) => { if (turn === live) receive(event, payload) },
      onGone: () => { if (turn === live) reload() }
    })
  }

  function receive (event, payload) {
    live.view.apply(event, payload)
    if (isWaiting) live.view.say(waitingWords)
    switch (event) {
      case 'title': return retitle(payload)
      case 'todo_state': return onTodos(payload)
      case 'goal': return onGoal(payload)
      case 'pending_steer_leftover':
        composer.giveBack(payload.text)
        return composer.tell('This did not reach the agent any more; it is back in the box.')
      case 'done': return settle(payload.session)
      case 'stream_end':
        if (!live.hasSettled) return reload()
        live = null
        return
      case 'cancel':
      case 'error':
      case 'apperror': return endEarly(event, payload)
      case 'tool_complete': onWork()
      // fallthrough
      default: transcript.grown()
    }
  }

  /** The stored transcript takes the place of what was drawn live. The stream may still bring a title. */
  function settle (detail) {
    live.hasSettled = true
    live.view.end()
    ended.add(live.streamId)
    if (detail === undefined) return reload()
    const { messages } = detail
    setSession(detail)
    transcript.show({ messages: messages.slice(offset), summary: summaryOf(detail), hasEarlier: offset > 0, sessionId: session.session_id })
    composer.setMode('idle')
    onRunning(false)
    const last = messages.at(-1)
    if (last?.role === 'assistant') announce(textOf(last.content))
  }

  function endEarly (event, { session: detail, message, error, hint }) {
    settle(detail)
    live = null
    if (event !== 'cancel' && detail === undefined) transcript.append(errorRow({ message: error ?? message, hint }))
    if (event === 'cancel') announce('Stopped')
  }

  function retitle ({ session_id: id, title }) {
    if (session?.session_id !== id) return
    session.title = title
    onSession(session)
  }

  async function reload () {
    if (session === null) return
    if (live !== null) ended.add(live.streamId)
    await load(session.session_id).catch((error) => composer.tell(error.message))
  }

  /** Id of the open session; an empty page becomes one, once for all who ask meanwhile. Throws ApiError. */
  async function ensure () {
    if (session !== null) return session.session_id
    creating ??= create(visit)
    return await creating
  }

  async function create (mine) {
    try {
      const { session: made } = await post('/api/session/new', newSessionBody())
      // It is another's turn on the page by now; what the session was made for goes on.
      if (mine === visit) setSession(made)
      return made.session_id
    } finally {
      if (mine === visit) creating = null
    }
  }

  /** A message that starts a turn; as a goal, it starts as many as that takes. Resolves with whether it was taken. */
  async function start (text, { isGoal = false, attachments = [] } = {}) {
    isStarting = true
    composer.setMode('sending')
    const mine = visit
    try {
      const id = await ensure()
      const answer = isGoal
        ? await post('/api/goal', { session_id: id, args: text })
        : await post('/api/chat/start', { session_id: id, message: text, ...(attachments.length === 0 ? {} : { attachments }) })
      if (mine !== visit) return true
      live?.follower?.close()
      composer.setMode('idle')
      if (answer.stream_id === undefined) return true
      retitle({ session_id: id, title: answer.title })
      transcript.append(userRow({ content: text, attachments, _source: isGoal ? 'goal' : undefined }, id))
      transcript.goToEnd()
      attach(answer.stream_id)
      if (isGoal) onGoal({ session_id: id, state: null, goal: answer.goal })
      return true
    } catch (error) {
      if (mine !== visit) return false
      composer.setMode(live === null || live.hasSettled ? 'idle' : 'running')
      composer.tell(error.message)
      if (error.body?.active_stream_id !== undefined && error.body.code !== 'agent_running') {
        composer.tell('A turn is already running here. Your text is still in the box: send it to add it to that turn.')
        await load(session.session_id).catch(() => {})
      }
      return false
    } finally {
      isStarting = false
    }
  }

  const isRunning = () => live !== null && !live.hasSettled

  async function steer (text) {
    const { view } = live
    try {
      const { accepted, fallback } = await post('/api/chat/steer', { session_id: session.session_id, text })
      if (accepted) {
        view.addNote(text)
        transcript.grown()
      } else composer.tell(steerRefusals[fallback] ?? 'The agent did not take this.')
      return accepted
    } catch (error) {
      composer.tell(error.message)
      return false
    }
  }

  return {
    open,
    leave,
    ensure,
    showEarlier,
    id: () => session?.session_id ?? null,
    title: () => session?.title ?? '',
    isRunning,
    /** Sends a message with its files, or adds the text to the turn that runs. Resolves with whether it was taken. */
    send: (text, attachments) => isRunning() ? steer(text) : start(text, { attachments }),
    /** Sets a goal and follows its first turn. Resolves with whether it was taken. */
    pursue: (text) => start(text, { isGoal: true }),

    async stop () {
      if (live === null) return
      composer.setMode('stopping')
      live.view.say('Stopping')
      const turn = live
      try {
        const { cancelled } = await post('/api/chat/cancel', { stream_id: turn.streamId })
        if (!cancelled && turn === live && !turn.hasSettled) composer.tell('The turn was ending already.')
      } catch (error) {
        composer.tell(error.message)
        if (turn === live) composer.setMode('running')
      }
    },

    tellWaiting (waiting) {
      isWaiting = waiting
      live?.view.say(isWaiting ? waitingWords : 'Working')
    },

    /** Takes up what another device has done, from the session's row in the list. */
    sync (row) {
      if (session === null || isStarting || row.session_id !== session.session_id) return
      if (row.title !== session.title && live === null) retitle(row)
      if (live !== null && !live.hasSettled) return
      const isNewTurn = row.active_stream_id !== null && !ended.has(row.active_stream_id)
      const hasOtherRows = row.message_count !== session.message_count && row.updated_at > session.updated_at
      if (isNewTurn || (hasOtherRows && row.active_stream_id === null)) reload()
    },

    /** A page that nobody sees gives its connection back. */
    pause () {
      if (live === null || live.follower === null) return
      live.position = live.follower.position()
      live.follower.close()
      live.follower = null
    },
    resume: follow
  }
}
