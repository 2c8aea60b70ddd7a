import { type ReceivedFrame } from './events.js'

/** What a client shows of a running turn, after each frame; the last entry is the final text. */
export type Shown = string[]

const ends = new Set(['done', 'cancel', 'error', 'apperror'])

/**
 * Plays a client for phones: appends deltas, appends an interim text that was not streamed as a paragraph, and takes the
 * transcript at the end.
 */
export function nativeClient (frames: ReceivedFrame[]): Shown {
  return play(frames, (shown, { event, data }) => {
    if (event === 'token') return shown + data.text
    if (event === 'interim_assistant' && data.already_streamed !== true && data.text.trim() !== '') return `${shown}\n\n${data.text}`
    return shown
  })
}

/** Plays a browser client: an interim text that was not streamed replaces the text since the last tool. */
export function browserClient (frames: ReceivedFrame[]): Shown {
  let before = ''
  return play(frames, (shown, { event, data }) => {
    if (event === 'tool') before = shown
    if (event === 'token') return shown + data.text
    return event === 'interim_assistant' && data.already_streamed !== true ? before + data.text : shown
  })
}

/** Plays a client with a single text for the whole turn, which an interim text replaces. */
export function plainBrowserClient (frames: ReceivedFrame[]): Shown {
  return play(frames, (shown, { event, data }) => {
    if (event === 'token') return shown + data.text
    return event === 'interim_assistant' && data.already_streamed !== true ? data.text : shown
  })
}

function play (frames: ReceivedFrame[], apply: (shown: string, frame: ReceivedFrame) => string): Shown {
  const shown: Shown = ['']
  for (const frame of frames) {
    const messages = ends.has(frame.event) ? frame.data.session?.messages as Array<{ role: string, content: string }> | undefined : undefined
    const settled = messages?.slice(messages.findLastIndex((row) => row.role === 'user') + 1).filter((row) => row.role === 'assistant').map((row) => row.content).join('')
    shown.push(settled ?? apply(shown.at(-1)!, frame))
  }
  return shown
}
