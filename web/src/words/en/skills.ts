import { formatter } from '../formatter.js'

const number = formatter(() => new Intl.NumberFormat('en'))

const ownNames: Readonly<Record<string, string>> = {}

export const skills = {
  create: 'New skill',
  createNote: 'Instructions for a kind of work. The agent reads them when the work comes up, or when you type the command.',
  empty: 'No skills yet',
  emptyText: 'A skill tells the agent how you want a kind of work done. You write it once.',
  noOwn: 'You have no skills of your own yet.',
  exampleButton: (name: string): string => `Try one: ${name}`,
  example: {
    name: 'commit-style', description: 'How commits are written here',
    body: '# Commits\n\n- One change for each commit.\n- The first line says what is better for whoever uses it, in at most 72 characters.'
  },
  search: 'Search skills',
  /** Names of the categories that come with the service. In English, they are its own. */
  categories: ownNames,
  /** Descriptions of the skills that come with the service, by the first sentence of its own. In English, these are shown. */
  shipped: ownNames,
  noMatch: 'No skill matches.',
  bundles: 'Bundles',
  noBundles: 'No bundles. A bundle puts several skills under one command. It is a file in the profile’s folder of bundles.',
  bundled: (count: number): string => count === 1 ? '1 skill' : `${count} skills`,
  commands: 'Commands',
  searchCommands: 'Search commands',
  noCommand: 'No command matches.',
  origins: { profile: 'your own', external: 'shared folder', plugin: 'plugin', claude: '~/.claude', shipped: 'built in' },
  uses: (count: number): string => count === 1 ? 'used once' : `used ${number.format(count)} times`,
  shadows: (origins: string): string => `Replaces a skill of the same name (${origins}).`,
  isOn: (name: string): string => `Enable ${name}`,
  off: 'off',
  edit: 'Edit',
  changeCopy: 'Edit a copy',
  view: 'View',
  views: { write: 'Write', read: 'Read', source: 'Source' },
  inSource: 'Its description spans several lines. Edit it in the source.',
  purpose: 'What should it know how to do?',
  purposePlaceholder: 'Write release notes from the commits since the last tag',
  purposeHint: 'The agent reads the skill when your request is about this.',
  how: 'How should it be done?',
  howPlaceholder: '1. Look at the commits since the last tag.\n2. Group them by what users notice.',
  letAgent: 'Let the agent write it',
  askAgent: (purpose: string, body: string): string =>
    `Write a skill for this, and save it with your tool for skills: ${purpose}${body === '' ? '' : `\n\nKeep to these notes:\n\n${body}`}`,
  text: 'Source',
  name: 'Name',
  category: 'Category',
  more: 'More',
  importButton: 'Import…',
  exportOne: 'Export',
  exportOwn: (count: number): string => count === 1 ? 'Export your skill' : `Export your ${number.format(count)} skills`,
  importTitle: 'Import skills',
  importNote: 'From a zip or tar archive, or from a folder, such as another agent’s folder of skills. You see what is in it before anything is saved.',
  importReview: 'Nothing is saved yet. Import only skills that you trust: the agent follows their instructions, and can run their scripts.',
  chooseArchive: 'Choose an archive…',
  chooseFolder: 'Choose a folder…',
  uploadFailed: 'The upload failed: the connection was lost, or the files are larger than the service accepts.',
  importCount: (count: number): string => count === 1 ? 'Import 1 skill' : `Import ${number.format(count)} skills`,
  imported: (names: string): string => `Imported: ${names}`,
  otherFiles: (count: number): string => count === 1 ? '1 other file belongs to no skill.' : `${number.format(count)} other files belong to no skill.`,
  scripts: (count: number): string => count === 1 ? '1 script' : `${number.format(count)} scripts`,
  files: (count: number): string => count === 1 ? '1 file' : `${number.format(count)} files`,
  executable: 'executable',
  script: 'script',
  cannotImport: 'It cannot be imported:',
  hasSame: 'You have this skill already, with the same files.',
  hasOther: 'You have a skill of this name, with other files.',
  choiceFor: (name: string): string => `What to do with ${name}`,
  choiceMissing: 'Choose what to do with it.',
  choices: {
    ask: 'Choose…', take: 'Import', replace: 'Replace mine', keep_both: 'Keep both', skip: 'Leave it out'
  },
  saved: (name: string): string => `“${name}” saved.`,
  deleted: (name: string): string => `“${name}” deleted.`,
  deleteFiles: 'The files beside it are deleted too, and cannot be restored.',
  conflict: 'Someone else changed this skill. Your edits are still here.',
  keepMine: 'Save mine',
  takeTheirs: 'Use theirs',
  theirs: 'Current version'
}
