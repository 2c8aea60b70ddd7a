/** A way in which a program that speaks JSON-RPC over its standard input and output misbehaves; `program.js` does it. */
export interface ProgramFault {
  name: string
  does: string
  /**
   * Whether a turn with it succeeds: `always`, `never`, or, with `either`, only if it is a server of tools, which the agent can do without.
   */
  works: 'always' | 'never' | 'either'
}

export const programFaults: ProgramFault[] = [
  { name: 'well', does: 'nothing wrong', works: 'always' },
  { name: 'silence', does: 'reads and never answers', works: 'never' },
  { name: 'exit', does: 'exits at once', works: 'never' },
  { name: 'exit-on-hello', does: 'exits when it is greeted', works: 'never' },
  { name: 'exit-in-call', does: 'exits when it is asked to do something', works: 'never' },
  { name: 'half-frame', does: 'sends half a message and waits', works: 'never' },
  { name: 'close-in-frame', does: 'sends half a message and exits', works: 'never' },
  { name: 'close-output', does: 'closes its output and lives on', works: 'never' },
  { name: 'garbage', does: 'sends lines that are no messages, between good ones', works: 'either' },
  { name: 'wrong-ids', does: 'answers under ids that nobody gave', works: 'never' },
  { name: 'answers-twice', does: 'answers everything twice', works: 'always' },
  { name: 'huge-line', does: 'sends a line of 100 MB', works: 'never' },
  { name: 'drip', does: 'sends one byte a second', works: 'never' },
  { name: 'forks', does: 'starts a child that holds its pipes, and exits', works: 'never' },
  { name: 'floods-errors', does: 'never stops printing errors', works: 'either' },
  { name: 'invalid-utf8', does: 'sends bytes that are no UTF-8', works: 'either' },
  { name: 'nul', does: 'sends NUL bytes between its messages', works: 'either' },
  { name: 'deep-json', does: 'sends JSON of 200,000 levels', works: 'either' },
  { name: 'prototype-keys', does: 'sends the keys __proto__ and constructor', works: 'either' },
  { name: 'floods-notifications', does: 'never stops sending notifications', works: 'either' },
  { name: 'floods-requests', does: 'never stops sending requests', works: 'either' },
  { name: 'ignores-cancel', does: 'never answers a call, and ignores its cancel and SIGTERM', works: 'never' },
  { name: 'wrong-types', does: 'answers with numbers and null where objects belong', works: 'never' },
  { name: 'odd-errors', does: 'answers with errors that are none', works: 'never' },
  { name: 'stops', does: 'stops itself', works: 'never' }
]
