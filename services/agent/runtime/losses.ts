import { protocolVersion } from '../protocol.js'

/** Why the web tier has lost a run. */
export interface Loss {
  /** For the log line about the end of its turn. */
  reason: string
  /** A sentence for a person. */
  message: string
}

export const losses = {
  gone: (reason: string): Loss => ({ reason, message: 'The agent process stopped unexpectedly in the middle of this turn.' }),
  unstarted: (reason: string): Loss => ({ reason, message: 'The agent process of this profile could not be started.' }),
  stopping: { reason: 'the service is stopping', message: 'The service was stopped while this turn was running.' },
  missing: { reason: 'events are missing', message: 'Part of what the agent said was lost on its way.' },
  unknown: {
    reason: 'the host does not know the run', message: 'The agent does not know this turn: its beginning was lost on its way, or its end.'
  },
  garbled: { reason: 'an event is garbled', message: 'What the agent has said could not be understood.' },
  untaken: (reason: string): Loss => ({ reason, message: 'What the agent has said could not be stored.' }),
  older: {
    reason: 'a host of another release has ended, and its events cannot be read',
    message: 'An older version of the service was still working on this turn after the restart. What it said from then on cannot be read.'
  },
  version: (v: number): Loss => ({
    reason: `protocol version ${v}`,
    message: `The agent process speaks version ${v} of the protocol, and the service version ${protocolVersion}: they are of different releases. Restart the service.`
  })
} as const
