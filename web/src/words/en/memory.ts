const times = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const number = new Intl.NumberFormat('en')

export const memory = {
  names: { memory: 'Notes', user: 'About you', soul: 'Persona', project: 'Workspace instructions' },
  about: {
    memory: 'What the agent has noted for itself. It reads this at the beginning of every chat, and may change it when you allow it.',
    user: 'What the agent knows about you. It reads this at the beginning of every chat, and may change it when you allow it.',
    soul: 'Who the agent is, and how it speaks. Only people change this.',
    project: 'These files are in the workspace and apply only there. Edit the files to change them.'
  },
  examples: {
    memory: '- The tests of the site run with `npm test`.\n- Releases are made on Fridays.',
    user: '- Call me Kim.\n- Short answers, metric units.',
    soul: 'You are a calm colleague. You say what you do not know.'
  },
  useExample: 'Start with an example',
  off: 'This profile does not use this document.',
  problem: (problem: string): string => `This document cannot be read: ${problem}`,
  masked: 'Keys and passwords are shown as [redacted]. Leave such lines as they are and they keep their values.',
  plain: 'Nothing is masked now: keys and passwords can be read.',
  showValues: 'Show values',
  hideValues: 'Hide values',
  tooLong: (bytes: number, most: number): string => `This is too long: ${number.format(bytes)} of ${number.format(most)} bytes.`,
  discard: 'Discard changes',
  saved: 'Saved. New chats use it.',
  conflict: 'Someone else changed this document. Your edits are still here.',
  keepMine: 'Save mine',
  takeTheirs: 'Use theirs',
  theirs: 'Current version',
  tidy: 'Tidy up',
  proposal: 'A tidier version',
  tidying: 'A model is looking for repeated and outdated entries …',
  tidyAlready: 'There is nothing to tidy up.',
  accept: 'Accept',
  leave: 'Keep the current version',
  tidied: 'Document tidied up.',
  versions: 'Versions',
  noVersions: 'No earlier versions yet.',
  authors: { person: 'by a person', agent: 'by the agent', disk: 'on disk' },
  at: (at: Date): string => times.format(at),
  bytes: (bytes: number): string => `${number.format(bytes)} bytes`,
  missing: 'no file',
  current: 'current',
  currentNote: 'This is the current version.',
  since: 'Changes since then:',
  restore: 'Restore this version',
  restored: 'Version restored.',
  shadowed: (count: number): string => count === 1 ? '1 file is ignored here' : `${count} files are ignored here`
}
