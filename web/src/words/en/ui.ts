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
  unit: 'Unit'
}
