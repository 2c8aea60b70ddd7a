import { type CommandSpec, type OptionSpec } from './command.js'

export const programName = 'agent-web-service'

/** Options of every command that does not read its arguments itself. */
export const commonOptions: Readonly<Record<string, OptionSpec>> = {
  home: { value: '<folder>', says: 'the service of this folder (SVC_HOME; ~/.svc)' },
  json: { says: 'print JSON, also of an error' },
  help: { says: 'show this help' }
}

/** How the service starts: the options of `start`, which `service install` stores. */
const startOptions: Readonly<Record<string, OptionSpec>> = {
  port: { value: '<number>', says: 'the port to listen on (SVC_WEBUI_PORT; 8787)' },
  host: { value: '<address>', says: 'the address to listen on (SVC_WEBUI_HOST; 127.0.0.1, which only this machine reaches)' },
  'password-file': { value: '<file>', says: 'a file with the password that people sign in with (SVC_WEBUI_PASSWORD_FILE)' },
  workspace: { value: '<folder>', says: 'where new conversations work (SVC_WEBUI_DEFAULT_WORKSPACE; ~/workspace)' }
}

const scope: OptionSpec = { value: '<scope>', says: 'what it may do: read, chat, approve or admin (docs/tokens.md)' }
const expiry: OptionSpec = { value: '<time>', says: 'when it ends: 30m, 12h, 30d; without it, when it is revoked' }

/** All commands. The module of a command is loaded only to run it, not for its help. */
export const commands: readonly CommandSpec[] = [
  {
    name: 'start',
    summary: 'Start the service, in this terminal',
    options: { ...startOptions, open: { says: 'open the app in a browser once the service is ready' } },
    noJson: true,
    examples: [
      ['start --open', 'starts the service for this machine, and opens the app'],
      ['start --host 0.0.0.0 --password-file ~/.svc/password', 'lets other machines in, who sign in with that password'],
      ['start --port 9000 --home ~/second', 'a second service, with folders and a port of its own']
    ],
    notes: [
      'The service runs until Ctrl-C, SIGTERM or `stop`. To have it run by itself, see `service install`. All other settings are environment variables, or lines of a file .env in the current folder: docs/configuration.md.'
    ],
    exits: { 0: 'it was stopped', 1: 'it could not start' },
    load: () => import('./commands/start.js')
  },
  {
    name: 'status',
    summary: 'Show whether the service runs, where, and what it is doing',
    examples: [['status', 'shows address, version, uptime, running turns and waiting prompts'], ['status --json', 'the same for a script']],
    exits: { 0: 'it runs', 1: 'its process is there and does not answer' },
    load: () => import('./commands/status.js')
  },
  {
    name: 'stop',
    summary: 'Stop the service, and wait until it has stopped',
    options: { timeout: { value: '<seconds>', says: 'how long to wait, 1 to 600 (30)' } },
    examples: [['stop', 'ends running turns in order, and the service with them']],
    notes: ['Running turns end as interrupted and keep their partial answers. A service that systemd, launchd or a container starts again is stopped there: `systemctl --user stop agent-web-service`.'],
    exits: { 1: 'it still runs, or was started again' },
    load: () => import('./commands/stop.js')
  },
  {
    name: 'doctor',
    summary: 'Find what is wrong with the service and its machine, and how to fix it',
    options: {
      url: { value: '<address>', says: 'the address that clients use, such as https://agent.example.org: checks the proxy, too (SVC_URL)' },
      thorough: { says: 'also ask a model of each provider for one word, and start agents of other makers' },
      hold: { value: '<seconds>', says: 'for how long a stream is kept open through the proxy, 1 to 600 (30)' }
    },
    examples: [['doctor', 'checks this machine and the service, whether it runs or not'],
      ['doctor --url https://agent.example.org', 'also checks the way through the proxy']],
    notes: ['Nothing is changed. For the report of a service that its socket does not reach, SVC_TOKEN is a token with the scope admin.'],
    exits: { 0: 'no errors', 1: 'errors were found' },
    load: () => import('./commands/doctor.js')
  },
  {
    name: 'reset-password',
    summary: 'Set the password, without the one until now',
    options: { 'password-file': { value: '<file>', says: 'a file with the new password; without it, standard input' } },
    examples: [
      ['reset-password', 'asks for the new password'],
      ['reset-password --password-file new-password', 'takes the first line of a file'],
      ['reset-password < new-password', 'the same']
    ],
    notes: [
      'Ends every sign-in, and has passwords accepted again where passkeys alone were. Tokens and paired devices stay: `token revoke --all`. Works whether the service runs or not. The audit log records it.'
    ],
    load: () => import('./commands/reset-password.js')
  },
  {
    name: 'sessions list',
    summary: 'List who is signed in',
    examples: [['sessions list', 'shows each sign-in of a browser with its time and browser']],
    notes: ['Tokens and paired devices are listed by `token list`.'],
    load: () => import('./commands/sessions-list.js')
  },
  {
    name: 'sessions revoke',
    summary: 'Sign somebody out',
    operands: '<id>…',
    mostOperands: 1_000,
    options: { all: { says: 'everybody' } },
    examples: [['sessions revoke 3f9c01d2a4b5', 'ends one sign-in'], ['sessions revoke --all', 'ends all of them']],
    exits: { 1: 'there is no such sign-in' },
    load: () => import('./commands/sessions-revoke.js')
  },
  {
    name: 'token create',
    summary: 'Create a token for a script, an app or an editor',
    options: { name: { value: '<name>', says: 'what it is called in lists (required)' }, scope: { ...scope, says: `${scope.says} (required)` }, 'expires-in': expiry },
    examples: [
      ['token create --name ci --scope chat --expires-in 90d', 'prints the token, which is shown once'],
      ['token create --name grafana --scope read --json', 'the same with its id, for a script']
    ],
    notes: ['Only the token goes to standard output: TOKEN=$(agent-web-service token create --name ci --scope read).'],
    load: () => import('./commands/token-create.js')
  },
  {
    name: 'token list',
    summary: 'List tokens and paired devices, without their secrets',
    examples: [['token list', 'shows the id, scope, expiry and last use of each']],
    load: () => import('./commands/token-list.js')
  },
  {
    name: 'token revoke',
    summary: 'Revoke a token, and what it let in',
    operands: '<id>…',
    mostOperands: 100,
    options: { all: { says: 'all tokens and paired devices' } },
    examples: [['token revoke fR3kq0ZtWn8L', 'ends one token'], ['token revoke --all', 'ends all of them, such as after a lost phone']],
    exits: { 1: 'there is no such token' },
    load: () => import('./commands/token-revoke.js')
  },
  {
    name: 'pair',
    summary: 'Pair a phone, with a QR code in the terminal',
    options: {
      name: { value: '<name>', says: 'what the device is called in lists (Phone)' },
      scope: { ...scope, says: `${scope.says} (approve)` },
      'expires-in': expiry,
      url: { value: '<address>', says: 'the address by which the device reaches the service; without it, the best that is known' }
    },
    examples: [
      ['pair', 'shows the code and waits until the device has used it'],
      ['pair --url https://agent.example.org --name "Ann\'s phone"', 'by the address of a proxy']
    ],
    notes: ['The code serves once, for five minutes, and ends with Ctrl-C. With --json it is printed and not waited for.'],
    exits: { 1: 'nobody has used the code, or a phone cannot reach the service' },
    load: () => import('./commands/pair.js')
  },
  {
    name: 'backup',
    summary: 'Back up the database, uploads and settings',
    operands: '[<folder>]',
    mostOperands: 1,
    examples: [
      ['backup', 'into the usual folder, where the oldest goes beyond the number that is kept'],
      ['backup /mnt/usb/agent', 'into a folder of yours, where none is ever removed']
    ],
    notes: ['The service may run. docs/operations.md says what a backup holds.'],
    load: () => import('./commands/backup.js')
  },
  {
    name: 'restore',
    summary: 'Restore a backup, with the service stopped',
    operands: '<backup>',
    mostOperands: 1,
    examples: [['restore ~/.svc/webui/backups/backup-20261122-030000', 'puts a backup in the place of the database, which is kept']],
    load: () => import('./commands/restore.js')
  },
  {
    name: 'audit verify',
    summary: 'Check that no entry of the audit log was changed, added or removed',
    operands: '[<backup>]',
    mostOperands: 1,
    options: { includes: { value: '<id>:<hash>', says: 'an entry that you know from elsewhere has to be part of the log' } },
    examples: [
      ['audit verify', 'checks the log of the service, which may run'],
      ['audit verify /mnt/usb/agent/backup-20261122-030000', 'checks that of a backup, or of a copy of a database']
    ],
    exits: { 0: 'the log is whole', 1: 'it is not', 2: 'it cannot be checked, or wrong usage' },
    load: () => import('./commands/audit-verify.js')
  },
  {
    name: 'machine',
    summary: 'Let this machine join a service elsewhere, for conversations that work in its folders',
    operands: '…',
    passesOn: true,
    noJson: true,
    examples: [
      ['machine --nats nats://agent.example.org:4222 --name big --workspaces /data', 'joins with one folder'],
      ['machine setup --names big,gpu --output nats', 'writes what the NATS server needs'],
      ['machine --help', 'lists its options']
    ],
    notes: ['See docs/machines.md.'],
    load: () => import('./commands/machine.js')
  },
  {
    name: 'acp',
    summary: 'Be an agent for an editor, over standard input and output (Agent Client Protocol)',
    operands: '…',
    passesOn: true,
    noJson: true,
    examples: [['acp', 'is what an editor starts, with SVC_URL and SVC_TOKEN in its environment']],
    notes: ['See docs/editors.md.'],
    load: () => import('./commands/acp.js')
  },
  {
    name: 'update',
    summary: 'Go to the newest version',
    options: { check: { says: 'only look whether there is one' } },
    examples: [['update', 'fetches, tries and starts the newest version'], ['update --check', 'tells whether there is one']],
    notes: ['Asks the service, which has to run. Where it cannot update itself, it says the line that does.'],
    exits: { 0: 'this is the newest, or has become it', 1: 'it failed; with --check: there is a newer one' },
    load: () => import('./commands/update.js')
  },
  {
    name: 'licenses',
    summary: 'Print the licences of everything that the program contains',
    examples: [['licenses', 'shows their texts'], ['licenses --json', 'lists packages with their licences']],
    load: () => import('./commands/licenses.js')
  },
  {
    name: 'service install',
    summary: 'Have the service start by itself (a systemd user unit, or launchd)',
    options: { ...startOptions, print: { says: 'only print what would be written' } },
    examples: [
      ['service install', 'starts the service now and at every login'],
      ['service install --host 0.0.0.0 --password-file ~/.svc/password', 'with options of `start`'],
      ['service install --print', 'shows the unit']
    ],
    notes: ['On Linux, `loginctl enable-linger` has it run before you log in and after you log out. Running turns go on over `systemctl --user restart agent-web-service`, and end with `systemctl --user stop agent-web-service`.'],
    load: () => import('./commands/service-install.js')
  },
  {
    name: 'service uninstall',
    summary: 'Stop that, and the service with it; its data stays',
    examples: [['service uninstall', 'stops the service and removes the unit']],
    load: () => import('./commands/service-uninstall.js')
  },
  {
    name: 'service logs',
    summary: 'Show the log of the installed service',
    options: { follow: { says: 'go on with what is added' }, lines: { value: '<number>', says: 'how many lines, 1 to 100000 (100)' } },
    noJson: true,
    examples: [['service logs --follow', 'shows the last lines, and new ones until Ctrl-C']],
    load: () => import('./commands/service-logs.js')
  }
]
