import { resolve } from 'node:path'
import { textOf, type CommandLine } from './command.js'
import { numberOf, passwordIn, readAll } from './values.js'

/**
 * Returns the options of `start` as variables of the service, with absolute paths. Throws WrongUsage, and CommandFailed for a password file
 * that cannot be used; the message names everything that is wrong.
 */
export function startVariables (asked: CommandLine): Record<string, string> {
  const host = textOf(asked, 'host')
  const passwordFile = textOf(asked, 'password-file')
  const workspace = textOf(asked, 'workspace')
  const { port } = readAll({
    port: () => numberOf(asked, 'port', { least: 0, most: 65_535, usual: -1 }),
    password: () => passwordFile === undefined ? null : passwordIn(passwordFile)
  })
  return {
    ...(port >= 0 && { SVC_WEBUI_PORT: String(port) }),
    ...(host !== undefined && { SVC_WEBUI_HOST: host }),
    // The service refuses to have both. An empty password overrides one in the environment or in `.env`.
    ...(passwordFile !== undefined && { SVC_WEBUI_PASSWORD: '', SVC_WEBUI_PASSWORD_FILE: resolve(passwordFile) }),
    ...(workspace !== undefined && { SVC_WEBUI_DEFAULT_WORKSPACE: resolve(workspace) })
  }
}
