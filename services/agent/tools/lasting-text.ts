import { visibleProse } from '../../ground/text/visible.js'
import { ToolError } from './containment.js'

/**
 * Throws ToolError for a text with invisible characters that later conversations will follow: the person who is asked could not see them,
 * but a model reads them.
 *
 * @param argument the model's name for the text
 */
export function refuseInvisible (argument: string, text: string | undefined): void {
  const plain = text?.replaceAll('\r\n', '\n')
  if (plain !== undefined && visibleProse(plain) !== plain) {
    throw new ToolError(`"${argument}" holds characters that cannot be seen. Leave them out.`)
  }
}
