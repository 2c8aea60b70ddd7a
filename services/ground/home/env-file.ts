import { withVariable } from './dotenv.js'
import { editFile } from './file-edits.js'

/**
 * Sets a variable of a `.env` file, or takes it away, and has it on disk when it resolves. The file is for its owner alone
 * afterwards (0600). Throws Conflict when it cannot be read.
 *
 * @param value null takes it away
 * @returns whether something was written
 */
export async function setEnvVariable (path: string, name: string, value: string | null): Promise<boolean> {
  return await editFile(path, (text) => withVariable(text, name, value), { mode: 0o600 })
}
