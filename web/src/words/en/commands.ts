/** Descriptions in place of the service's own, which are English. */
const about: Readonly<Record<string, string>> = {}

export const commands = {
  list: 'Commands and files',
  offered: (count: number): string =>
    `${count} ${count === 1 ? 'suggestion' : 'suggestions'}: use the arrow keys to choose, and Tab to insert`,
  help: 'Commands',
  helpNote: 'Type a command at the beginning of a message. Type @ anywhere to name a file.',
  search: 'Search commands',
  none: (sought: string): string => `No command has “${sought}” in its name or description.`,
  output: (command: string): string => `/${command}`,
  showChat: 'Show',
  about,
  needs: (command: string, hint: string): string => `Usage: /${command} ${hint}`.trimEnd(),
  needsChat: 'There is no chat here yet. Send a message first.',
  notRunning: 'No turn is running in this chat.',
  nothingToUndo: 'There is nothing to undo.',
  nothingToRetry: 'There is no message to retry.',
  undone: 'Last exchange undone. A branch keeps it.',
  cleared: 'Chat cleared. A branch keeps its messages.',
  compressing: 'Summarising earlier messages…',
  renamed: (title: string): string => `Renamed to “${title}”.`,
  modelSet: (model: string): string => `${model} answers from now on.`,
  noModel: (sought: string): string => `No model matches “${sought}”. Type /model to see all models.`,
  someModels: (models: readonly string[]): string => `Several models match: ${models.join(', ')}.`,
  effortSet: (effort: string): string =>
    effort === '' ? 'Reasoning effort: default.' : `Reasoning effort: ${effort}.`,
  thinking: (isShown: boolean): string => isShown ? 'Reasoning is shown.' : 'Reasoning is hidden.',
  personalitySet: (name: string | null): string => name === null ? 'Personality removed.' : `Personality: “${name}”.`,
  folderSet: (folder: string): string => `This chat works in ${folder}.`,
  skillSet: (name: string, isOn: boolean): string => `Skill ${name} ${isOn ? 'enabled' : 'disabled'}.`,
  skillUsage: 'Usage: /skills enable name, or /skills disable name',
  planning: (isOn: boolean): string =>
    isOn ? 'Plan mode is on: the agent reads and asks, and changes nothing.' : 'Plan mode is off.',
  yolo: (isOn: boolean): string => isOn ? 'Everything in this chat runs without asking.' : 'The agent asks before dangerous steps again.',
  onOff: 'Type on or off after the command.',
  formats: 'The formats are json and html.'
}
