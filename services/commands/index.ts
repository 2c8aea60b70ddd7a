export { Commands, type CommandsOptions, type PluginCommand, type RunCommand } from './commands.js'
export { localCommands } from './workspace-commands.js'
export { inOtherWords, type Command, type CommandContext, type CommandSource, type Expansion } from './command.js'
export { bundleToWire, commandToWire, resolvedToWire } from './wire.js'
