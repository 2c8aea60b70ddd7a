import { withVariable } from './dotenv.js'
import { editFile } from './file-edits.js'

/**
 * Sets or removes a variable of a `.env` file, which is on the disk when this resolves. Afterwards only its owner may read the file (0600).
 * Throws Conflict if it cannot be read.
 *
 * @param value null removes the variable
 * @returns whether something was written
 */
export async function setEnvVariable (path: string, name: string, value: string | null): Promise<boolean> {
  return await editFile(path, (text) => withVariable(text, name, value), { mode: 0o600 })
}
