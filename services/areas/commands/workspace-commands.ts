import { join } from 'node:path'
import { commandFolders, unacceptedCommand } from '../../agent/index.js'
import { Unavailable } from '../../ground/errors.js'
import { remoteFolder, type RemoteFolder } from '../../ground/remote-folder.js'
import { type Command, type CommandContext, type CommandSource, type Expansion } from './command.js'
import { MarkdownCommands } from './markdown-commands.js'

/** The commands of folders on other machines. Throws Unavailable if the machine does not answer. */
export interface RemoteCommands {
  list: (folder: RemoteFolder) => Promise<Command[]>
  resolve: (folder: RemoteFolder, name: string, args: string) => Promise<Omit<Expansion, 'started'> | null>
}

/**
 * The commands that a workspace on this machine provides.
 * @param boundaryFolder holds the records of what confined commands have changed in workspaces
 */
export function localCommands (boundaryFolder: string): CommandSource {
  return new MarkdownCommands({
    category: 'Workspace',
    folders: ({ workspace }) =>
      workspace === null ? [] : commandFolders.map(({ path, isMixed }) => ({ folder: join(workspace, path), within: workspace, isMixed })),
    unaccepted: (path, seal) => unacceptedCommand(boundaryFolder, path, seal)
  })
}

/** The commands of a workspace on any machine: another machine is asked for its own. */
export class WorkspaceCommands implements CommandSource {
  readonly #local: CommandSource

  constructor (boundaryFolder: string, readonly remote: RemoteCommands) {
    this.#local = localCommands(boundaryFolder)
  }

  /** Lists no commands of a machine that is away. */
  async list (context: CommandContext): Promise<Command[]> {
    const folder = remoteFolder(context.workspace ?? '')
    if (folder === null) return await this.#local.list(context)
    return await this.remote.list(folder).catch((error: unknown) => {
      if (error instanceof Unavailable) return []
      throw error
    })
  }

  /** Throws Unavailable if the machine is away: the message must not go to a model as if it were not a command. */
  async resolve (context: CommandContext, name: string, args: string): Promise<Expansion | null> {
    const folder = remoteFolder(context.workspace ?? '')
    if (folder === null) return await this.#local.resolve(context, name, args)
    const found = await this.remote.resolve(folder, name, args)
    return found === null ? null : { ...found, started: () => {} }
  }
}
