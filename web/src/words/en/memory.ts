const times = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const number = new Intl.NumberFormat('en')

export const memory = {
  names: { memory: 'Notes', user: 'About you', soul: 'Who it is', project: 'Rules of the workspace' },
  about: {
    memory: 'What the agent keeps for itself. It is told this at the beginning of every chat, and may change it when you allow it.',
    user: 'What the agent knows about you. It is told this at the beginning of every chat, and may change it when you allow it.',
    soul: 'Who the agent is, and how it speaks. Only people change this.',
    project: 'These come from the workspace and hold only there. They are changed in the file itself.'
  },
  examples: {
    memory: '- The tests of the site run with `npm test`.\n- Releases are made on Fridays.',
    user: '- Call me Kim.\n- Short answers, metric units.',
    soul: 'You are a calm colleague. You say what you do not know.'
  },
  useExample: 'Begin with an example',
  off: 'This profile does not use it.',
  problem: (problem: string): string => `This document cannot be read: ${problem}`,
  masked: 'Keys and passwords are shown as [redacted]. Leave such lines as they are and they keep their values.',
  plain: 'Nothing is masked now: keys and passwords can be read.',
  showValues: 'Show them',
  hideValues: 'Hide them',
  tooLong: (bytes: number, most: number): string => `This is too long: ${number.format(bytes)} of ${number.format(most)} bytes.`,
  discard: 'Discard changes',
  saved: 'Saved. New chats use it.',
  conflict: 'It was changed elsewhere while you were writing.',
  keepMine: 'Save mine',
  takeTheirs: 'Take theirs',
  theirs: 'Current version',
  tidy: 'Tidy up',
  proposal: 'A tidier version',
  tidying: 'A model is looking for repeated and outdated entries …',
  tidyAlready: 'There is nothing to tidy up.',
  accept: 'Accept',
  leave: 'Keep the current version',
  tidied: 'Document tidied up.',
  versions: 'Versions',
  noVersions: 'There are no earlier versions yet.',
  authors: { person: 'by a person', agent: 'by the agent', disk: 'on disk' },
  at: (at: Date): string => times.format(at),
  bytes: (bytes: number): string => `${number.format(bytes)} bytes`,
  missing: 'no file',
  current: 'current',
  currentNote: 'This is what it says now.',
  since: 'What has changed since:',
  restore: 'Restore this version',
  restored: 'Version restored.',
  shadowed: (count: number): string => count === 1 ? '1 file does not count here' : `${count} files do not count here`
}
