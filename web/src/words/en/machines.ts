export const machines = {
  here: 'This machine',
  where: 'Machine',
  named: (name: string, state: 'away' | 'refused' | 'unknown' | 'off' | 'cut'): string =>
    `${name} (${state === 'away' ? 'offline' : 'cannot be used'})`,
  unread: (why: string): string => `The state of the other machines could not be loaded. ${why}`,
  brief: {
    away: (when: string): string => `offline since ${when}`,
    refused: 'cannot be used',
    unknown: 'not joined',
    off: 'not set up',
    cut: 'cannot be reached'
  },
  absent: {
    away: (name: string, when: string): string => `${name} has been offline since ${when}. Messages here get no answer until it is back.`,
    awayRunning: (name: string, when: string): string => `${name} has been offline since ${when}. The answer continues if it is back soon.`,
    refused: (name: string): string => `${name} cannot be used. Settings, Machines shows the reason.`,
    refusedFor: (name: string, why: string): string => `${name} cannot be used: ${why}`,
    unknown: (name: string): string => `No machine called ${name} has joined. Messages here get no answer until one does.`,
    off: (name: string): string => `This chat works on the machine ${name}, and other machines are not set up here.`,
    cut: (name: string): string => `The service cannot reach its other machines, ${name} among them. It keeps trying.`,
    folderAway: (name: string, when: string): string => `${name} has been offline since ${when}.`,
    folderNote: 'The folder appears here again as soon as the machine can be reached. You can read the chat until then.'
  },
  note: 'Your other computers can do the work, each with its own folders, profiles and keys. The chats stay here.',
  off: 'Not set up yet. In four steps, another computer works for you:',
  steps: [
    'Create keys on the computer where a NATS server will run, through which the machines meet:',
    'Put a certificate beside the keys (the guide says how), and start the server:',
    'Name it in the environment of this service, with the full paths of the files, then restart the service:',
    'Install this service on the other computer, copy its key and ca.crt into the service’s folder, and run there with the folders to open:'
  ],
  cut: 'The service cannot reach the NATS server. It keeps trying.',
  none: 'No machine has joined yet.',
  join: 'Join a machine',
  joinNote:
    'Create its key (see the guide), install this service there, copy the key and ca.crt into its folder, and run this with your values:',
  copyCommand: 'Copy the command',
  guide: 'Guide: keys, certificates, and an automatic start',
  states: { ready: 'Ready', away: 'Offline', refused: 'Cannot be used' },
  since: (when: string): string => `since ${when}`,
  version: 'Version',
  otherVersion: (its: string, ours: string): string => `${its}; the service has ${ours}. Update the older of the two.`,
  platform: 'System',
  profiles: 'Profiles',
  models: 'Models',
  sandbox: 'Sandbox',
  load: 'Load',
  folders: 'Folders',
  some: (names: readonly string[], more: number): string => `${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`,
  confined: 'Commands are confined',
  unconfined: (why: string): string => why === '' ? 'Commands are not confined' : `Commands are not confined: ${why}`,
  loadOf: ({ busy, cores, freeMb, turns }: { busy: number, cores: number, freeMb: number, turns: number }): string =>
    `${busy.toFixed(1)} on ${cores} ${cores === 1 ? 'core' : 'cores'}, ${(freeMb / 1_024).toFixed(1)} GiB free, ` +
    `${turns} ${turns === 1 ? 'turn' : 'turns'} running`,
  forget: 'Forget',
  forgetNamed: (name: string): string => `Forget ${name}`,
  forgetTitle: (name: string): string => `Forget ${name}?`,
  forgetNote: 'It leaves this list until it joins again. Its chats stay, and work again once a machine of this name joins.',
  forgotten: (name: string): string => `${name} forgotten.`
}
