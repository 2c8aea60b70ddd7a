export const audit = {
  note:
    'Who signed in, and what was allowed, changed, deleted, exported and shared. Entries cannot be changed; they are kept for a year ' +
    'unless the administrator set another time.',
  search: 'Search in details, names and addresses',
  kind: 'Kind',
  all: 'Everything',
  groups: {
    attempts: 'Attempts', check: 'Checks', pull: 'Pull requests', hook: 'Hooks', plan: 'Plans', mode: 'Plan mode',
    auth: 'Sign-ins and passwords', passkey: 'Passkeys', device: 'Devices and tokens', pairing: 'Pairing', approval: 'Approvals',
    question: 'Questions', grant: 'Standing rules', yolo: 'Running without asking', settings: 'Settings', config: 'Configuration',
    key: 'Keys', mcp: 'MCP servers', plugin: 'Plugins', skill: 'Skills', memory: 'Memory', profile: 'Profiles', job: 'Tasks',
    session: 'Chats', project: 'Projects', share: 'Shared pages', file: 'Files', trash: 'Trash', checkpoint: 'Checkpoints', git: 'Git',
    backup: 'Backups', update: 'Updates', machine: 'Machines', audit: 'This log'
  },
  find: 'Search',
  none: 'No entries.',
  older: 'Show older entries',
  csv: 'Export as CSV',
  ndjson: 'Export as NDJSON',
  open: 'Anyone who can reach the service',
  actors: { person: 'Signed in', device: 'A device', nobody: 'Not signed in', agent: 'The agent', service: 'The service', console: 'The command line' },
  outcomes: { failed: 'failed', throttled: 'too many attempts' }
}
