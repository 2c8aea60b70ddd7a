export const audit = {
  note:
    'Who signed in, and what was allowed, changed, deleted, exported and shared. Entries cannot be changed; they are kept for a year ' +
    'unless the administrator set another time.',
  search: 'Search the log',
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
  actions: {
    switchedOn: 'switched on', switchedOff: 'switched off',
    sign_in: 'signed in', sign_out: 'signed out', password: 'password set or removed',
    passwordless: 'sign-in without a password switched', open_acknowledged: 'open access acknowledged', registered: 'registered',
    renamed: 'renamed', deleted: 'deleted', created: 'created', revoked: 'revoked', begun: 'code created', ended: 'cancelled',
    completed: 'completed', answered: 'answered', added: 'added', removed: 'removed', switched: 'switched on or off',
    started: 'started', changed: 'changed', set: 'set', server: 'added, changed or removed', saved: 'saved', imported: 'imported',
    import_undone: 'import undone', cut: 'last messages removed', exported: 'exported', attached: 'continued here',
    restored: 'restored', discarded: 'changes discarded', pushed: 'pushed', taken: 'applied', taken_back: 'undone', stopped: 'stopped',
    opened: 'opened', ready: 'ready for review', commented: 'commented', resolved: 'thread resolved or reopened', merged: 'merged',
    closed: 'closed', applied: 'installed', joined: 'joined', left: 'left', forgotten: 'removed from the list',
    trimmed: 'old entries removed'
  },
  said: (group: string, action: string): string => `${group}: ${action}`,
  when: 'When',
  who: 'Who',
  none: 'No entries.',
  older: 'Show older entries',
  csv: 'Export as CSV',
  ndjson: 'Export as NDJSON',
  open: 'Anyone who can reach the service',
  actors: { person: 'Signed in', device: 'A device', nobody: 'Not signed in', agent: 'The agent', service: 'The service', console: 'The command line' },
  outcomes: { failed: 'failed', throttled: 'too many attempts' }
}
