export const ui = {
  back: 'Back',
  working: 'Working',
  showAll: (lines: number): string => `Show all ${lines.toLocaleString('en')} lines`,
  showLess: 'Show less',
  partMissing: 'This part of the app could not be loaded.',
  partOfBefore: 'A new version of the app is there: reload to go on here. What you have typed in chats is kept.',
  notifications: 'Notices',
  dismiss: 'Dismiss',
  resize: 'Resize',
  optional: 'optional',
  context: (percent: number): string => `Context: ${percent}% used`,
  copyFailed: 'The text could not be copied.',
  asTable: 'As a table',
  unit: 'Unit',
  diff: {
    added: 'Added',
    removed: 'Removed',
    counts: (added: number, removed: number): string => `${added} added, ${removed} removed`,
    unchanged: (lines: number): string => lines === 1 ? '1 unchanged line' : `${lines.toLocaleString('en')} unchanged lines`,
    created: 'new',
    deleted: 'deleted',
    renamed: (from: string): string => `was ${from}`,
    binary: 'A binary file: its content cannot be shown.',
    noChange: 'Nothing has changed.',
    noNewline: 'No line break at the end',
    truncated: 'The rest of this change is too long to be shown.'
  }
}
