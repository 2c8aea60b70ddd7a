/** The options of the program, for its help and for the page of the command line. `value`: the placeholder of the value. */
export const machineOptions = {
  nats: { value: '<url>', says: 'the NATS server: nats://host:4222 or tls://host:4222; separate several by commas (default: SVC_NATS_URL)' },
  name: {
    value: '<name>',
    says: 'the name of this machine: 2 to 32 lower-case letters, digits and hyphens (default: SVC_HOST_NAME, or the name of the system)'
  },
  workspaces: {
    value: '<folder>…',
    says: 'folders that may contain workspaces; no other folder can be opened (default: SVC_HOST_WORKSPACES, separated by colons)'
  },
  credentials: { value: '<file>', says: 'the seed of a key pair, or credentials (default: SVC_NATS_CREDENTIALS)' },
  ca: { value: '<file>', says: 'certificates of the authority that signed the certificate of the server (default: SVC_NATS_CA)' },
  prefix: { value: '<word>', says: 'the prefix of the service (default: SVC_NATS_PREFIX, or agents)' },
  home: { value: '<folder>', says: 'profiles of this machine, with their keys (default: SVC_HOME, or ~/.svc)' },
  names: { value: '<name>,…', says: 'setup: the names of the machines' },
  output: { value: '<folder>', says: 'setup: the folder to write the configuration and the keys to' },
  tls: { says: 'setup: the server has a certificate' },
  add: { says: 'setup: add machines to a configuration that setup wrote, or give them new keys' }
} as const
