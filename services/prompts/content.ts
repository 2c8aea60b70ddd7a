import { type ApprovalAsk } from '../agent/protocol.js'
import { redact } from '../ground/redaction/index.js'
import { visible } from '../ground/visible.js'

/** Less than a run hands over, so that nothing at the cut is left that masking would have known whole. */
const shownContentChars = 12_000

/** What an approval tells of a file's text: masked before it is cut again, as a key that is cut is not known any more. */
export function contentToWire (content: ApprovalAsk['content']): { content?: string, content_truncated?: boolean } {
  if (content === undefined) return {}
  const text = visible(redact(content.text))
  return { content: text.slice(0, shownContentChars).replace(/[\uD800-\uDBFF]$/, ''), content_truncated: content.isCut || text.length > shownContentChars }
}
