import { join } from 'node:path'
import { commandFolders, unacceptedCommand } from '../../agent/index.js'
import { Unavailable } from '../../ground/errors.js'
import { remoteFolder, type RemoteFolder } from '../../ground/location.js'
import { type Command, type CommandContext, type CommandSource, type Expansion } from './command.js'
import { MarkdownCommands } from './markdown-commands.js'

/** The commands of folders of other machines. Throws Unavailable when the machine does not answer. */
export interface RemoteCommands {
  list: (folder: RemoteFolder) => Promise<Command[]>
  resolve: (folder: RemoteFolder, name: string, args: string) => Promise<Omit<Expansion, 'started'> | null>
}

/**
 * Commands that a workspace of this machine brings along.
 *
 * @param boundaryFolder where it is kept what confined commands have changed in workspaces
 */
export function localCommands (boundaryFolder: string): CommandSource {
  return new MarkdownCommands({
    category: 'Workspace',
    folders: ({ workspace }) =>
      workspace === null ? [] : commandFolders.map(({ path, isMixed }) => ({ folder: join(workspace, path), within: workspace, isMixed })),
    unaccepted: (path, seal) => unacceptedCommand(boundaryFolder, path, seal)
  })
}

/** The same of a workspace wherever it is: another machine is asked for its own. */
export class WorkspaceCommands implements CommandSource {
  readonly #local: CommandSource

  constructor (boundaryFolder: string, readonly remote: RemoteCommands) {
    this.#local = localCommands(boundaryFolder)
  }

  /** A machine that is away has none. */
  async list (context: CommandContext): Promise<Command[]> {
    const folder = remoteFolder(context.workspace ?? '')
    if (folder === null) return await this.#local.list(context)
    return await this.remote.list(folder).catch((error: unknown) => {
      if (error instanceof Unavailable) return []
      throw error
    })
  }

  /** Throws Unavailable when the machine is away: the message may not go to a model as if it were none. */
  async resolve (context: CommandContext, name: string, args: string): Promise<Expansion | null> {
    const folder = remoteFolder(context.workspace ?? '')
    if (folder === null) return await this.#local.resolve(context, name, args)
    const found = await this.remote.resolve(folder, name, args)
    return found === null ? null : { ...found, started: () => {} }
  }
}
