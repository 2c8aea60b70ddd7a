export const offline = {
  keptNote: (time: string): string => `As this device kept it at ${time}; asking the service`,
  cutOff: 'The service cannot be reached. What this device has kept can be read; messages wait here and are sent when it answers.',
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
  gone: 'It was sent meanwhile.',
  newVersion: 'A new version of the app is there.',
  later: 'Later',
  reload: 'Reload'
}
