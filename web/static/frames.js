// What event streams of the service can bring. A frame of another name is not heard.

/** Frames by the kind of stream. */
export const framesOf = {
  turn: [
    'token', 'reasoning', 'interim_assistant', 'tool', 'tool_complete', 'title', 'todo_state', 'warning',
    'compressing', 'compressed', 'goal', 'pending_steer_leftover', 'done', 'stream_end', 'cancel', 'error', 'apperror'
  ],
  sessions: ['sessions_changed'],
  folder: ['initial', 'workspace_changed']
}

/** Each is the last one of its turn. */
export const terminal = new Set(['stream_end', 'cancel', 'error', 'apperror'])

/** The number in an event id `<stream_id>:<seq>`; 0 where there is none. */
export const seqOf = (eventId) => Number(eventId.slice(eventId.lastIndexOf(':') + 1)) || 0
