export const ui = {
  working: 'Working',
  showAll: (lines: number): string => `Show all ${lines.toLocaleString('en')} lines`,
  showLess: 'Show less',
  screenFailed: 'This screen has failed. Reload it; what you typed in chats is kept.',
  partMissing: 'This part of the app could not be loaded.',
  partOfBefore: 'The app has been updated. Reload to continue. What you typed in chats is kept.',
  notifications: 'App messages',
  dismiss: 'Dismiss',
  resize: 'Resize',
  optional: 'optional',
  context: (percent: number): string => `Context: ${percent}% used`,
  copyFailed: 'The text could not be copied. Select it and copy it yourself.',
  asTable: 'Show as a table'
}
