import { existsSync, readFileSync } from 'node:fs'
import { asset } from '../../services/ground/assets.js'
import { fieldsOf } from '../../services/ground/fields.js'
import { CommandFailed, type Run } from '../command.js'

/** Reads the files that the build has written (scripts/third-party.js). */
export const run: Run = async () => {
  const [notices, list] = [asset('web/built/THIRD-PARTY-NOTICES.txt'), asset('third-party.json')]
  if (!existsSync(notices) || !existsSync(list)) throw new CommandFailed('The program runs from source. Build it first: npm run build')
  const { packages } = fieldsOf(JSON.parse(readFileSync(list, 'utf8')))
  return { text: readFileSync(notices, 'utf8').trimEnd(), value: { packages } }
}
