import { join } from 'node:path'
import { type CommandSource } from './command.js'
import { MarkdownCommands } from './markdown-commands.js'

export const pluginCategory = 'Plugin'

/** The commands of plugins: Markdown files in the folder `commands` of each. `plugins` is called with the profile. */
export function pluginCommands (plugins: (profile: string) => ReadonlyArray<{ name: string, folder: string }>): CommandSource {
  return new MarkdownCommands({
    category: pluginCategory,
    folders: ({ profile }) => plugins(profile).map(({ name, folder }) => ({ folder: join(folder, 'commands'), plugin: name }))
  })
}
