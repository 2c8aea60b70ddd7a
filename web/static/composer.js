import { createCommandHints } from './commands.js'
import { byId } from './dom.js'

/** What the box does in each mode, in words for the person. */
const modes = {
  idle: { send: 'Send', hint: 'Enter sends, Shift + Enter starts a new line, / shows commands', placeholder: 'Write a message' },
  sending: { send: 'Send', hint: 'Sending …', placeholder: 'Write a message' },
  running: { send: 'Add', hint: 'A note reaches the agent after its next tool call', placeholder: 'Add a note' },
  stopping: { send: 'Send', hint: 'Stopping …', placeholder: 'Write a message' }
}
const tallestPx = 220

/**
 * The box to write in, with its buttons and the line below that explains.
 * @param {object} options
 * @param {(text: string) => Promise<boolean>} options.onSend whether the text was taken; if not, it stays in the box
 * @param {() => void} options.onStop
 * @param {() => boolean} options.hasFiles whether there is something to send without a text
 */
export function createComposer ({ onSend, onStop, hasFiles }) {
  const form = byId('composer')
  const box = byId('message')
  const send = byId('send')
  const stop = byId('stop')
  const hint = byId('hint')
  const note = byId('note')
  const hints = createCommandHints(box, fit)
  let mode = 'idle'
  let isSending = false

  async function submit () {
    const text = box.value.trim()
    if ((text === '' && !hasFiles()) || isSending || mode === 'stopping') return
    isSending = true
    box.readOnly = true
    tell('')
    const taken = await onSend(text)
    isSending = false
    box.readOnly = false
    // Another session's text may stand in the box by now.
    if (taken && box.value.trim() === text) box.value = ''
    fit()
    hints.update()
  }

  /** Something went wrong, or wants attention. */
  function tell (text) {
    note.className = ''
    note.textContent = text
  }

  /** How something stands, as it was asked for. */
  function inform (text) {
    tell(text)
    note.className = 'calm'
  }

  /** As tall as its text, up to a limit. */
  function fit () {
    box.style.height = 'auto'
    box.style.height = `${Math.min(box.scrollHeight + 2, tallestPx)}px`
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    submit()
  })
  box.addEventListener('keydown', (event) => {
    // While an input method composes, Enter picks a word.
    if (event.isComposing) return
    const isForHints = hints.key(event)
    if (!isForHints && (event.key !== 'Enter' || event.shiftKey)) return
    event.preventDefault()
    if (isForHints) event.stopPropagation()
    else submit()
  })
  box.addEventListener('input', () => {
    fit()
    hints.update()
  })
  box.addEventListener('focus', hints.update)
  box.addEventListener('blur', hints.hide)
  stop.addEventListener('click', onStop)

  return {
    tell,
    inform,
    /** @param {'idle' | 'sending' | 'running' | 'stopping'} next */
    setMode (next) {
      mode = next
      send.textContent = modes[mode].send
      send.disabled = mode === 'sending' || mode === 'stopping'
      hint.textContent = modes[mode].hint
      box.placeholder = modes[mode].placeholder
      const hadFocus = stop.matches(':focus')
      stop.hidden = mode !== 'running' && mode !== 'stopping'
      stop.disabled = mode === 'stopping'
      if (hadFocus && (stop.hidden || stop.disabled)) box.focus()
    },
    /** Puts text back that did not reach the agent, before whatever was typed since. */
    giveBack (text) {
      box.value = box.value.trim() === '' ? text : `${text}\n${box.value}`
      fit()
    },
    focus () { box.focus() },
    /** @param {boolean} isShown a session that can only be read has no box */
    show (isShown) {
      const wasHidden = form.hidden
      form.hidden = !isShown
      hint.hidden = !isShown
      // Out of sight it had no height to measure.
      if (isShown && wasHidden) fit()
    },
    /** Lets a text be sent as if it had been typed. */
    sendText (text) {
      box.value = text
      submit()
    },
    swap (draft) {
      const before = box.value
      box.value = draft
      tell('')
      fit()
      hints.hide()
      return before
    }
  }
}
