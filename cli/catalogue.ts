import { machineOptions } from '../machine/options.js'
import { type CommandSpec, type OptionSpec } from './command.js'

export const programName = 'agent-web-service'

/** Options of every command that does not read its arguments itself. */
export const commonOptions: Readonly<Record<string, OptionSpec>> = {
  home: { value: '<folder>', says: 'the home folder of the service (default: SVC_HOME, or ~/.svc)' },
  json: { says: 'print JSON, for errors too' },
  help: { says: 'show this help' }
}

/** How the service starts: the options of `start`, which `service install` stores. */
const startOptions: Readonly<Record<string, OptionSpec>> = {
  port: { value: '<number>', says: 'the port to listen on (default: SVC_WEBUI_PORT, or 8787)' },
  host: { value: '<address>', says: 'the address to listen on (default: SVC_WEBUI_HOST, or 127.0.0.1, which only this machine can reach)' },
  'password-file': { value: '<file>', says: 'a file with the password for signing in (default: SVC_WEBUI_PASSWORD_FILE)' },
  workspace: { value: '<folder>', says: 'the folder in which new conversations work (default: SVC_WEBUI_DEFAULT_WORKSPACE, or ~/workspace)' }
}

const scope: OptionSpec = { value: '<scope>', says: 'what it may do: read, chat, approve or admin; see docs/tokens.md' }
const expiry: OptionSpec = { value: '<time>', says: 'how long it is valid, such as 30m, 12h or 30d (default: until it is revoked)' }

/** All commands. The module of a command is loaded only to run it, not for its help. */
export const commands: readonly CommandSpec[] = [
  {
    name: 'start',
    summary: 'Start the service in this terminal',
    options: { ...startOptions, open: { says: 'open the app in a browser once the service is ready' } },
    noJson: true,
    examples: [
      ['start --open', 'starts the service for this machine only, and opens the app'],
      ['start --host 0.0.0.0 --password-file ~/.svc/password', 'lets other machines connect; people sign in with that password'],
      ['start --port 9000 --home ~/second', 'starts a second service with its own port and folders']
    ],
    notes: [
      'The service runs until Ctrl-C, SIGTERM or `stop`. To start it automatically, see `service install`. All other settings are environment variables, or lines of a file .env in the current folder: see docs/configuration.md.'
    ],
    exits: { 0: 'the service was stopped', 1: 'the service could not start' },
    load: () => import('./commands/start.js')
  },
  {
    name: 'status',
    summary: 'Show whether the service is running, at which address, and what it is doing',
    needsService: true,
    examples: [['status', 'shows address, version, uptime, running turns and waiting prompts'], ['status --json', 'prints the same for a script']],
    exits: { 0: 'the service is running', 1: 'its process exists, but does not answer' },
    load: () => import('./commands/status.js')
  },
  {
    name: 'stop',
    summary: 'Stop the service, and wait until it has stopped',
    needsService: true,
    options: { timeout: { value: '<seconds>', says: 'how long to wait, from 1 to 600 (default: 30)' } },
    examples: [['stop', 'ends running turns, then the service']],
    notes: ['Running turns end as interrupted and keep their partial answers. If a supervisor restarts the service, stop it there: `systemctl --user stop agent-web-service`.'],
    exits: { 1: 'the service is still running, or was restarted' },
    load: () => import('./commands/stop.js')
  },
  {
    name: 'doctor',
    summary: 'Find problems with the service and its machine, and how to fix them',
    options: {
      url: { value: '<address>', says: 'the address that clients use, such as https://agent.example.org; also checks the proxy (default: SVC_URL)' },
      thorough: { says: 'also ask a model of each provider for one word, and start third-party agents' },
      hold: { value: '<seconds>', says: 'how long to keep a stream open through the proxy, from 1 to 600 (default: 30)' }
    },
    examples: [['doctor', 'checks this machine, and the service if it is running'],
      ['doctor --url https://agent.example.org', 'also checks the connection through the proxy']],
    notes: ['The doctor changes nothing. If the service requires a sign-in, --url needs a token with the scope admin in SVC_TOKEN; so does a user who cannot open the socket of the service.'],
    exits: { 0: 'no errors', 1: 'errors were found' },
    load: () => import('./commands/doctor.js')
  },
  {
    name: 'reset-password',
    summary: 'Set a new password without the current one',
    options: { 'password-file': { value: '<file>', says: 'a file with the new password (default: standard input)' } },
    examples: [
      ['reset-password', 'asks for the new password'],
      ['reset-password --password-file new-password', 'takes it from the first line of a file'],
      ['reset-password < new-password', 'does the same']
    ],
    notes: [
      'Ends all sign-ins, and allows passwords again if only passkeys were allowed. Tokens and paired devices stay valid until you revoke them: `token revoke --all`. Works whether or not the service is running. The audit log records the change.'
    ],
    load: () => import('./commands/reset-password.js')
  },
  {
    name: 'sessions list',
    summary: 'List who is signed in',
    examples: [['sessions list', 'shows the time and the browser of each sign-in']],
    notes: ['For tokens and paired devices, see `token list`.'],
    load: () => import('./commands/sessions-list.js')
  },
  {
    name: 'sessions revoke',
    summary: 'Sign people out',
    operands: '<id>…',
    mostOperands: 1_000,
    options: { all: { says: 'sign everyone out' } },
    examples: [['sessions revoke 3f9c01d2a4b5', 'ends one sign-in'], ['sessions revoke --all', 'ends all sign-ins']],
    exits: { 1: 'no sign-in has this id' },
    load: () => import('./commands/sessions-revoke.js')
  },
  {
    name: 'token create',
    summary: 'Create a token for a script, an app or an editor',
    options: { name: { value: '<name>', says: 'its name in lists (required)' }, scope: { ...scope, says: `${scope.says} (required)` }, 'expires-in': expiry },
    examples: [
      ['token create --name ci --scope chat --expires-in 90d', 'prints the token, which is shown only once'],
      ['token create --name grafana --scope read --json', 'prints the token and its id, for a script']
    ],
    notes: ['Standard output has only the token: TOKEN=$(agent-web-service token create --name ci --scope read).'],
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
    summary: 'Revoke a token, and all tokens that were created with it',
    operands: '<id>…',
    mostOperands: 100,
    options: { all: { says: 'revoke all tokens and paired devices' } },
    examples: [['token revoke fR3kq0ZtWn8L', 'revokes one token'], ['token revoke --all', 'revokes all, for example after you lost a phone']],
    exits: { 1: 'no token has this id' },
    load: () => import('./commands/token-revoke.js')
  },
  {
    name: 'pair',
    summary: 'Pair a phone with a QR code in the terminal',
    needsService: true,
    options: {
      name: { value: '<name>', says: 'its name in lists (default: Phone)' },
      scope: { ...scope, says: `${scope.says} (default: approve)` },
      'expires-in': expiry,
      url: { value: '<address>', says: 'the address at which the device reaches the service (default: the best known one)' }
    },
    examples: [
      ['pair', 'shows the code and waits until the device has used it'],
      ['pair --url https://agent.example.org --name "Ann\'s phone"', 'uses the address of a proxy']
    ],
    notes: ['The code works once, within five minutes. Ctrl-C cancels it. With --json, and when its output is no longer read (`pair | head`), the command does not wait, and the code stays valid.'],
    exits: { 1: 'nobody used the code, or no phone can reach the service' },
    load: () => import('./commands/pair.js')
  },
  {
    name: 'backup',
    summary: 'Back up the database, uploads and settings',
    operands: '[<folder>]',
    mostOperands: 1,
    examples: [
      ['backup', 'backs up to the usual folder, and removes the oldest backups there'],
      ['backup /mnt/usb/agent', 'backs up to another folder, where no backup is ever removed']
    ],
    notes: ['The service may be running. docs/operations.md says what a backup contains.'],
    load: () => import('./commands/backup.js')
  },
  {
    name: 'restore',
    summary: 'Restore a backup while the service is stopped',
    operands: '<backup>',
    mostOperands: 1,
    examples: [
      ['restore backup-20261122-030000', 'restores one of the service\'s own backups, and keeps the previous database'],
      ['restore /mnt/usb/agent/backup-20261122-030000', 'does the same with a backup in another folder, or with a copy of a database']
    ],
    load: () => import('./commands/restore.js')
  },
  {
    name: 'audit verify',
    summary: 'Check that no entry of the audit log was changed, added or removed',
    operands: '[<backup>]',
    mostOperands: 1,
    options: { includes: { value: '<id>:<hash>', says: 'an entry that you noted earlier, which the log must contain' } },
    examples: [
      ['audit verify', 'checks the log of the service, which may be running'],
      ['audit verify /mnt/usb/agent/backup-20261122-030000', 'checks the log in a backup, or in a copy of a database']
    ],
    exits: { 0: 'the log is intact', 1: 'the log is not intact', 2: 'the log cannot be checked, or wrong usage' },
    load: () => import('./commands/audit-verify.js')
  },
  {
    name: 'skills list',
    summary: 'List the skills of the active profile',
    needsService: true,
    examples: [['skills list', 'shows each skill, its origin, and whether it is on'], ['skills list --json', 'prints the same for a script']],
    load: () => import('./commands/skills-list.js')
  },
  {
    name: 'skills export',
    summary: 'Save skills as a zip archive that other agents can import',
    needsService: true,
    operands: '<name>…',
    mostOperands: 100,
    options: { output: { value: '<file>', says: 'where to save it (default: <name>.zip or skills.zip, here)' } },
    examples: [
      ['skills export release-notes', 'writes release-notes.zip'],
      ['skills export release-notes code-review --output skills.zip', 'writes both into one archive']
    ],
    notes: ['An existing file is not replaced. The same skill always makes the same bytes.'],
    load: () => import('./commands/skills-export.js')
  },
  {
    name: 'skills import',
    summary: 'Import skills from an archive or a folder',
    needsService: true,
    operands: '<archive or folder>',
    mostOperands: 1,
    options: {
      check: { says: 'only show what it contains' },
      'on-conflict': { value: '<choice>', says: 'what to do with skills that the profile has: replace, keep-both or skip (default: import nothing)' },
      category: { value: '<name>', says: 'category of the new skills' }
    },
    examples: [
      ['skills import helper.skill --check', 'shows the skills, their files and what is wrong with them'],
      ['skills import ~/.claude/skills --on-conflict keep-both', 'imports all skills of a folder; those whose name is taken get another one']
    ],
    notes: ['A zip, tar or tar.gz file, or a folder. Every folder in it with a SKILL.md is a skill. `skills undo` undoes an import within a day.'],
    exits: { 1: 'nothing was imported' },
    load: () => import('./commands/skills-import.js')
  },
  {
    name: 'skills undo',
    summary: 'Undo an import of skills',
    needsService: true,
    operands: '<id>',
    mostOperands: 1,
    examples: [['skills undo 5f0c9ae1b2d34e6788a1c0de', 'removes the imported skills, and restores those that they replaced']],
    exits: { 1: 'the import is older than a day, or one of the skills has changed since' },
    load: () => import('./commands/skills-undo.js')
  },
  {
    name: 'machine',
    summary: 'Connect this machine to a service elsewhere, so that conversations can work in its folders',
    operands: '…',
    options: machineOptions,
    passesOn: true,
    noJson: true,
    examples: [
      ['machine --nats nats://agent.example.org:4222 --name big --workspaces /data', 'joins with one folder'],
      ['machine setup --names big,gpu --output nats', 'writes the configuration of the NATS server'],
      ['machine --help', 'shows the options']
    ],
    notes: ['`machine setup` makes the keys that machines join with. See docs/machines.md.'],
    exits: { 0: 'it was told to stop', 1: 'it could not join, or lost its place', 2: 'wrong usage' },
    load: () => import('./commands/machine.js')
  },
  {
    name: 'machine list',
    summary: 'List the machines that have joined the service on this machine',
    needsService: true,
    examples: [['machine list', 'shows whether each machine is connected, and its running turns'], ['machine list --json', 'prints the same for a script']],
    load: () => import('./commands/machine-list.js')
  },
  {
    name: 'acp',
    summary: 'Run as an agent of an editor, over standard input and output (Agent Client Protocol)',
    passesOn: true,
    noJson: true,
    examples: [['acp', 'is the command that an editor starts, with SVC_URL and SVC_TOKEN in its environment']],
    notes: ['SVC_URL is the address of the service (default: http://127.0.0.1:8787), SVC_TOKEN a token with the scope `approve`. See docs/editors.md.'],
    exits: { 0: 'the editor has closed the connection', 1: 'SVC_URL is not the address of a service' },
    load: () => import('./commands/acp.js')
  },
  {
    name: 'update',
    summary: 'Update to the newest version',
    needsService: true,
    options: {
      check: { says: 'only check whether a newer version exists' },
      wait: { says: 'if running turns would end, update as soon as they have ended' },
      now: { says: 'update even if running turns end' },
      cancel: { says: 'cancel an update that waits for turns' }
    },
    examples: [['update', 'fetches, tries and starts the newest version'], ['update --check', 'says whether a newer version exists']],
    notes: ['A running service updates itself if it is a clone. Otherwise, the command says how to update it.', 'Most turns continue through an update. Where some would end, the command says how many, and changes nothing.'],
    exits: { 0: 'the newest version is installed; with --wait: or it waits for turns', 1: 'the update failed; with --check: a newer version exists' },
    load: () => import('./commands/update.js')
  },
  {
    name: 'licenses',
    summary: 'Print the licences of all packages that the program contains',
    examples: [['licenses', 'prints the texts of the licences'], ['licenses --json', 'lists the packages with their licences']],
    load: () => import('./commands/licenses.js')
  },
  {
    name: 'service install',
    summary: 'Start the service automatically, with systemd or launchd',
    options: { ...startOptions, print: { says: 'only print the file, without installing it' } },
    examples: [
      ['service install', 'starts the service now and at every login'],
      ['service install --host 0.0.0.0 --password-file ~/.svc/password', 'starts it with options of `start`'],
      ['service install --print', 'prints the systemd unit, or the launchd agent']
    ],
    notes: ['On Linux, `sudo loginctl enable-linger $USER` keeps it running while you are logged out. Running turns continue after `systemctl --user restart agent-web-service`, and end with `systemctl --user stop agent-web-service`.'],
    load: () => import('./commands/service-install.js')
  },
  {
    name: 'service uninstall',
    summary: 'Stop and uninstall the service; its data stays',
    examples: [['service uninstall', 'stops the service and removes its file']],
    load: () => import('./commands/service-uninstall.js')
  },
  {
    name: 'service logs',
    summary: 'Show the log of the installed service',
    options: { follow: { says: 'keep printing new lines' }, lines: { value: '<number>', says: 'how many lines, from 1 to 100000 (default: 100)' } },
    noJson: true,
    examples: [['service logs --follow', 'shows the last lines, then new ones until Ctrl-C']],
    load: () => import('./commands/service-logs.js')
  }
]
