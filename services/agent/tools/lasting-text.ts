import { visibleProse } from '../../ground/visible.js'
import { ToolError } from './containment.js'

/**
 * Throws ToolError for a text that later conversations are to follow and of which whoever is asked cannot see everything, as a
 * model reads that as well.
 *
 * @param argument what the model calls the text
 */
export function refuseInvisible (argument: string, text: string | undefined): void {
  const plain = text?.replaceAll('\r\n', '\n')
  if (plain !== undefined && visibleProse(plain) !== plain) {
    throw new ToolError(`"${argument}" holds characters that cannot be seen. Leave them out.`)
  }
}
