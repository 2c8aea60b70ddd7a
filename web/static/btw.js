import { ApiError, post } from './api.js'
import { announce } from './dom.js'
import { createLiveTurn } from './live-turn.js'
import { errorRow } from './rows.js'
import { sideCard } from './side-cards.js'
import { followTurn } from './stream.js'

/** Each takes one of the six connections that a browser has for all its windows on a service. */
const atOnce = 2

/**
 * Questions on the side: each is answered on a card of its own, over a stream of its own, and leaves nothing behind.
 * @param {object} options
 * @param {() => void} options.onClosed
 */
export function createBtw ({ onClosed }) {
  const running = new Set()

  function show (sessionId, question, streamId) {
    const view = createLiveTurn()
    let answer = ''
    let position = 0
    let follower = null
    const one = { pause, resume }
    const card = sideCard({ sessionId, label: 'On the side', text: question, onClose: close })
    // The card has a name of its own.
    view.element.removeAttribute('aria-label')
    card.body.append(view.element)

    function pause () {
      position = follower?.position() ?? position
      follower?.close()
      follower = null
    }

    function resume () {
      follower ??= followTurn({ streamId, afterSeq: position, onFrame: receive, onGone: () => end({ message: 'This answer is not kept any more.' }) })
    }

    function close () {
      pause()
      card.remove()
      if (running.delete(one)) post('/api/chat/cancel', { stream_id: streamId }).catch(() => {})
      onClosed()
    }

    function end (error) {
      running.delete(one)
      view.end()
      if (error === undefined) announce(`On the side: ${answer}`)
      else card.body.append(errorRow(error))
    }

    function receive (event, payload) {
      view.apply(event, payload)
      if (event === 'done') answer = payload.answer
      else if (event === 'stream_end') end()
      else if (event === 'cancel' || event === 'error' || event === 'apperror') end({ message: payload.error ?? payload.message, hint: payload.hint })
    }

    running.add(one)
    resume()
  }

  return {
    /** Throws ApiError. */
    async ask (sessionId, question) {
      if (running.size >= atOnce) throw new ApiError(`${atOnce} questions on the side are being answered; wait for one of them, or close it.`, 0)
      const { stream_id: streamId } = await post('/api/btw', { session_id: sessionId, question })
      show(sessionId, question, streamId)
    },
    /** A page that nobody sees gives its connections back. */
    pause () { for (const one of running) one.pause() },
    resume () { for (const one of running) one.resume() }
  }
}
