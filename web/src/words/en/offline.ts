export const offline = {
  keptNote: (time: string): string => `As this device kept it at ${time}; asking the service`,
  cutOff: 'The service cannot be reached. What this device has kept can be read; messages wait here and are sent when it answers.',
  offline: 'You are offline. What this device has kept can be read; messages wait here and are sent when you are back.',
  waiting: (count: number): string => count === 1 ? '1 message waits.' : `${count} messages wait.`,
  unsent: 'Not sent yet',
  waits: 'Waits for the connection',
  unsure: 'It may have arrived; that is looked up first',
  onItsWay: 'Being sent',
  sentLater: 'A message that waited was sent.',
  open: 'Open',
  edit: 'Put it back into the box',
  remove: 'Do not send it',
  removed: 'The message will not be sent.',
  refused: (why: string): string => `Not sent: ${why}`,
  earlier: 'Written before the last sign-in; it is not sent by itself',
  sendNow: 'Send',
  gone: 'It was sent meanwhile.',
  filesWait: (count: number): string =>
    `${count === 1 ? 'The shared file is' : `The ${count} shared files are`} kept on this device and attached when the service answers.`,
  sharedLeftOut: (names: readonly string[], isLarge: boolean): string =>
    `Not taken: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}. ${isLarge ? 'At most 512 MiB can be shared at once.' : '20 files go with a message.'}`,
  sharedWaits: 'Something was shared with this app.',
  shareFailed: 'What was shared could not be kept on this device. Share it once more, or with less at once.',
  newVersion: 'A new version of the app is there.',
  later: 'Later',
  reload: 'Reload'
}
