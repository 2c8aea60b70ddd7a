import { fieldsOf } from '../../ground/fields.js'
import { cutMiddle } from '../engines/quoted-conversation.js'
import { type ToolImage, type ToolResult } from '../tools/tool.js'
import { displayText } from './definitions.js'

/** How much of one result a model gets at most. */
const longestText = 60_000
const mostImages = 4
const longestImageChars = 4 * 1_024 * 1_024
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

interface Gathered { texts: string[], images: ToolImage[] }

/** Turns the answer to a call, or the content of a resource, into a result for the model. */
export function resultOf (answer: { content: unknown[], structuredContent?: unknown, isError?: boolean }): ToolResult {
  const { content, structuredContent, isError } = answer
  const gathered: Gathered = { texts: [], images: [] }
  for (const part of content.slice(0, 1_000)) take(part, gathered)
  // Servers should also say the same as text. For those that do not, the structured content is all there is.
  if (structuredContent !== undefined && !gathered.texts.some((text) => text.trim() !== '')) {
    gathered.texts.push(JSON.stringify(structuredContent))
  }
  const text = cutMiddle(gathered.texts.join('\n').replace(/[\ud800-\udfff]/gu, '\ufffd'), longestText)
  return {
    text: text === '' ? '(no output)' : text, answer, ...(isError === true ? { isError } : {}),
    ...(gathered.images.length > 0 ? { images: gathered.images } : {})
  }
}

function take (part: unknown, gathered: Gathered): void {
  const { type, text, data, mimeType, uri, name, description, resource } = fieldsOf(part)
  const mime = typeof mimeType === 'string' ? displayText(mimeType, 100) : 'unknown type'
  if (type === 'text' && typeof text === 'string') gathered.texts.push(text)
  else if (type === 'image' && typeof data === 'string') takeImage(data, mime, gathered)
  else if (type === 'audio') gathered.texts.push(`[Audio (${mime}) that cannot be played here]`)
  else if (type === 'resource_link') {
    gathered.texts.push(
      `[Resource ${displayText(String(uri), 500)}${typeof name === 'string' ? `: ${displayText(name, 200)}` : ''}${typeof description === 'string' ? `. ${displayText(description, 500)}` : ''}]`
    )
  } else if (type === 'resource') takeResource(resource, gathered)
  else gathered.texts.push('[Something of a kind that is not known here]')
}

function takeImage (data: string, mediaType: string, { texts, images }: Gathered): void {
  const fits = imageTypes.has(mediaType) && data.length <= longestImageChars && images.length < mostImages &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(data)
  texts.push(`[Image (${mediaType}, about ${Math.round(data.length * 0.75 / 1_024)} KB)${fits ? '' : ' that cannot be shown'}]`)
  if (fits) images.push({ data, mediaType })
}

/** Adds an embedded resource. */
function takeResource (resource: unknown, gathered: Gathered): void {
  const { uri, text, blob, mimeType } = fieldsOf(resource)
  const head = `[Resource ${displayText(String(uri), 500)}]`
  if (typeof text === 'string') gathered.texts.push(`${head}\n${text}`)
  else if (typeof blob === 'string' && typeof mimeType === 'string' && imageTypes.has(mimeType)) takeImage(blob, mimeType, gathered)
  else gathered.texts.push(`${head} (binary, ${typeof mimeType === 'string' ? displayText(mimeType, 100) : 'unknown type'}, not shown)`)
}
