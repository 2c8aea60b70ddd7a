export const offline = {
  keptNote: (time: string): string => `Saved on this device at ${time}; loading the current state`,
  cutOff: 'The service cannot be reached. You can read what is saved on this device. Messages are queued and sent when it answers.',
  offline: 'You are offline. You can read what is saved on this device. Messages are queued and sent when you are back online.',
  waiting: (count: number): string => count === 1 ? '1 message is queued.' : `${count} messages are queued.`,
  unsent: 'Not sent yet',
  waits: 'Waiting for the connection',
  unsure: 'It may have arrived; the app checks before it sends it again',
  onItsWay: 'Sending',
  sentLater: 'A queued message was sent.',
  open: 'Open',
  edit: 'Move back to the message box',
  remove: 'Discard',
  removed: 'Message discarded.',
  refused: (why: string): string => `Not sent: ${why}`,
  earlier: 'Written before the last sign-in, so it is not sent automatically',
  sendNow: 'Send',
  gone: 'It has already been sent.',
  filesWait: (count: number): string =>
    `${count === 1 ? 'The shared file is' : `The ${count} shared files are`} saved on this device and attached when the service answers.`,
  sharedLeftOut: (names: readonly string[], isLarge: boolean): string =>
    `Left out: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}. ` +
    (isLarge ? 'At most 512 MiB can be shared at once.' : 'A message takes at most 20 files.'),
  sharedWaits: 'You shared something with this app.',
  shareFailed: 'What you shared could not be saved on this device. Share it again, or share less at once.',
  newVersion: 'A new version of the app is available.',
  later: 'Later',
  reload: 'Reload'
}
