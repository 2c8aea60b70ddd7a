/** Counts what a plugin brings; empty for none. */
const of = (count: number, one: string, more: string): string => count === 0 ? '' : `${count} ${count === 1 ? one : more}`

export const plugins = {
  note: 'A plugin is a folder with commands, skills and MCP servers, laid out as for Claude Code. Put it into this folder of the profile:',
  none: 'No plugins yet.',
  on: 'Enabled',
  off: 'Disabled',
  changed: 'Changed',
  changedNote: 'Its files have changed since you enabled it. The earlier version stays in use until you review the new one.',
  look: 'Review and enable',
  lookAgain: 'Review changes',
  switchOn: 'Enable',
  useNew: 'Use the new version',
  switchOff: 'Disable',
  isOn: (name: string): string => `“${name}” enabled.`,
  isOff: (name: string): string => `“${name}” disabled.`,
  by: (author: string, version: string): string =>
    [version === '' ? '' : `Version ${version}`, author === '' ? '' : `by ${author}`].filter((part) => part !== '').join(' '),
  counts: (commands: number, skills: number, servers: number): string =>
    [of(commands, 'command', 'commands'), of(skills, 'skill', 'skills'), of(servers, 'MCP server', 'MCP servers')].filter((part) => part !== '').join(' · '),
  contents: 'Contents',
  commands: 'Commands',
  skills: 'Skills',
  servers: 'MCP servers',
  runs: 'starts on this machine:',
  asks: 'connects to:',
  sandboxed: 'in a sandbox',
  variables: (names: string): string => `It gets these values of the profile's .env: ${names}`,
  nothing: 'It contains nothing that this service uses.',
  unused: (names: string): string => `Not used here: ${names}`,
  files: (count: number): string => count === 1 ? '1 file' : `${count} files`,
  moreFiles: (count: number): string => `${count} more files are not listed.`,
  changes: { added: 'new', changed: 'changed', removed: 'removed' },
  executable: 'program',
  gone: 'The file no longer exists.',
  trust: 'The model reads what a plugin contains, and its servers run with your rights. Enable only plugins that you trust.'
}
